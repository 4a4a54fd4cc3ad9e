const SIMPLE: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|([\s\S]))/g;
const LITERAL = /^([a-zA-Z]*)("""|'''|"|')([\s\S]*)\2$/;

/**
 * What a Python string literal without replacement fields denotes, as a text in which equal values are equal: `s:` or
 * `b:` and the value. A literal with an escape that Python warns about, or that needs the Unicode name table, stays
 * as it is written, and so does `u'…'` where that may be a type of its own.
 */
export function pythonStringValue(literal: string, unicodeIsOwnType = false): string {
  const [, prefix = '', , body = ''] = LITERAL.exec(literal) ?? [];
  const letters = prefix.toLowerCase();
  const type = letters.includes('b') ? 'b' : 's';
  if (letters.includes('t') || (unicodeIsOwnType && letters.includes('u'))) return `literal:${literal}`;
  const value = letters.includes('r') ? body : decodeEscapes(body, type === 'b');
  if (value === null) return `literal:${literal}`;
  return `${type}:${letters.includes('f') ? value.replaceAll('{{', '{').replaceAll('}}', '}') : value}`;
}

/** The text with its escapes replaced (Python reference, 2.4.1.1), or null when one is not certain. */
export function decodeEscapes(body: string, bytes: boolean): string | null {
  let certain = true;
  const value = body.replace(ESCAPE, (_whole, x, u, U, octal, simple: string | undefined) => {
    const hex: string | undefined = x ?? (bytes ? undefined : (u ?? U));
    if (hex !== undefined) return fromCodePoint(Number.parseInt(hex, 16));
    if (octal !== undefined) return fromCodePoint(Number.parseInt(octal, 8));
    const plain = simple === undefined ? undefined : SIMPLE[simple];
    if (plain === undefined) certain = false;
    return plain ?? '';
  });
  return certain ? value : null;

  function fromCodePoint(code: number): string {
    if (code <= 0x10ffff) return String.fromCodePoint(code);
    certain = false;
    return '';
  }
}

const SIMPLE: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '0': '\0',
};
const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|(\r\n|[\s\S]))/g;

/** What a quoted ECMAScript string denotes, as `s:` and the value; an octal or broken escape leaves it as written. */
export function ecmascriptStringValue(literal: string): string {
  const body = literal.slice(1, -1);
  if (!body.includes('\\')) return `s:${body}`;
  if (/\\(?:[1-9]|0\d|x(?![0-9a-fA-F]{2})|u(?![0-9a-fA-F]{4}|\{))/.test(body)) return `literal:${literal}`;
  const value = body.replace(ESCAPE, (_whole, x, u, point, simple: string | undefined) => {
    const hex: string | undefined = x ?? u ?? point;
    if (hex !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10ffff));
    if (simple === undefined || /^[\r\n\u2028\u2029]/.test(simple)) return '';
    return SIMPLE[simple] ?? simple;
  });
  return `s:${value}`;
}

/** JSX text as React and the compilers read it: lines trimmed, blank ones dropped, joined by one blank. */
export function jsxTextValue(text: string): string {
  const lines = text.split(/\r\n|\n|\r/).map((line) => line.replaceAll('\t', ' '));
  const kept = lines
    .map((line, index) => {
      const left = index === 0 ? line : line.replace(/^ +/, '');
      return index === lines.length - 1 ? left : left.replace(/ +$/, '');
    })
    .filter((line) => line !== '');
  return kept.join(' ');
}

import { significantPart } from '../forms/comments.ts';
import { abstain, type Judgment } from '../proof/proof.ts';
import { compareTokens, type TokenText } from './compare-tokens.ts';
import { type CssPiece, type CssStatement, readCss } from './css-tokens.ts';

/** Proves two style sheets equal: white space that separates nothing, comments, quotes and the spelling of numbers go. */
export function proveCss(before: string, after: string): Judgment {
  const one = canonical(before);
  const other = canonical(after);
  return one && other
    ? compareTokens(one, other)
    : abstain('parse_error', 'a text or a bracket that does not end');
}

function canonical(text: string): TokenText | null {
  const statements = readCss(text);
  if (!statements) return null;
  const reading = { tokens: [] as string[], raw: [] as string[], comments: [] as string[] };
  for (const statement of statements) take(statement, reading);
  return reading;
}

interface Reading {
  readonly tokens: string[];
  readonly raw: string[];
  readonly comments: string[];
}

function take({ pieces, end, start }: CssStatement, { tokens, raw, comments }: Reading): void {
  for (const { is, text } of pieces) {
    if (is !== 'comment' && is !== 'space') raw.push(text);
    if (is !== 'comment') continue;
    const kept = significantPart(text, 'css');
    if (kept === '') comments.push(text.replace(/\s+/g, ' '));
    else tokens.push(kept);
  }
  raw.push(end);
  const line = lineOf(pieces, end === '{' ? prelude : declaration);
  // It counts as the first bytes of the file only.
  if (line !== '') tokens.push(line.startsWith('@charset') && start > 0 ? `late ${line}` : line);
  if (end === '{' || end === '}') tokens.push(end);
}

/** The pieces in one spelling; what is quoted is put aside while blanks are taken away. */
function lineOf(pieces: readonly CssPiece[], spell: (text: string) => string): string {
  const quoted: string[] = [];
  const parts = pieces.map(({ is, text }, index) => {
    // What a comment alone parts is two tokens, but no white space stands between them.
    if (is === 'comment') return isPart(pieces[index - 1]) && isPart(pieces[index + 1]) ? '/**/' : '';
    if (is !== 'string' && is !== 'url') return plain(is, text);
    quoted.push(is === 'string' ? plainString(text) : text);
    return `\u0000${quoted.length - 1}\u0000`;
  });
  const line = spell(parts.join('').trim().replace(/ +/g, ' '));
  return line
    .split('\u0000')
    .map((part, index) => (index % 2 === 0 ? part : (quoted[Number(part)] ?? '')))
    .join('');
}

const isPart = (piece: CssPiece | undefined): boolean =>
  piece !== undefined && !/^(?:space|comment|sign)$/.test(piece.is);

const plainString = (text: string): string =>
  /["'\\]/.test(text.slice(1, -1)) ? text : `"${text.slice(1, -1)}"`;

function plain(is: CssPiece['is'], text: string): string {
  if (is === 'space') return ' ';
  return is === 'number' ? plainNumber(text) : text;
}

/** `.5em`, `0.5em` and `0.50EM`; but `1.0` is no whole number, which some properties ask for. */
function plainNumber(text: string): string {
  const found = /^([+-]?)0*(\d*)(?:\.(\d+?)0*)?(%|[a-z]*)$/i.exec(text);
  if (!found) return text;
  const [, sign = '', whole = '', part = '', unit = ''] = found;
  const isWhole = part === '' || (part === '0' && unit !== '');
  const fraction = isWhole ? '' : `.${part}`;
  return `${sign}${whole === '' ? '0' : whole}${fraction}${unit.toLowerCase()}`;
}

const tight = (text: string, pattern: RegExp): string => text.replace(pattern, (part) => part.trim());

/** What stands before a block: a selector, or an at-rule's condition. */
function prelude(text: string): string {
  if (text.startsWith('@page')) return text;
  if (text.startsWith('@')) return tight(tight(text, / ?, ?/g), /\( | \)|: (?=[^:])/g);
  return tight(tight(text, / ?[,>~+] ?/g), /\( | \)/g);
}

const HEX = /#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})(?![\w-])/gi;

/** `name: value`; blanks within the value part words, so one is kept. */
function declaration(text: string): string {
  const found = /^([\w-]+) ?: ?([\s\S]*)$/.exec(text);
  if (!found || text.startsWith('@')) return tight(text, / ?, ?/g);
  const [, name = '', value = ''] = found;
  if (name.startsWith('--')) return `${name}:${value}`;
  const colors = value.replace(HEX, (color) => color.toLowerCase());
  return `${name}:${tight(tight(colors, / ?, ?/g), /\( | \)| !/g)}`;
}

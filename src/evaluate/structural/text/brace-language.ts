import { isRead } from '../forms/comments.ts';
import { abstain, type Judgment } from '../proof/proof.ts';
import { compareTokens, type TokenText } from './compare-tokens.ts';

/** Languages without a grammar here, in which indentation and blank lines mean nothing. */
const LANGUAGES: Readonly<
  Record<
    string,
    { readonly line: string; readonly block: readonly [string, string] | null; readonly refuses: RegExp }
  >
> = {
  kt: { line: '//', block: ['/*', '*/'], refuses: /"""|\$\{/ },
  kts: { line: '//', block: ['/*', '*/'], refuses: /"""|\$\{/ },
  swift: { line: '//', block: ['/*', '*/'], refuses: /"""|\\\(|#"/ },
  dart: { line: '//', block: ['/*', '*/'], refuses: /"""|'''|\$\{|\br["']/ },
  proto: { line: '//', block: ['/*', '*/'], refuses: /(?!)/ },
  scss: { line: '//', block: ['/*', '*/'], refuses: /url\([^"'()\n]{0,400}\/\// },
  less: { line: '//', block: ['/*', '*/'], refuses: /url\([^"'()\n]{0,400}\/\/|`/ },
  sol: { line: '//', block: ['/*', '*/'], refuses: /(?!)/ },
  lua: { line: '--', block: null, refuses: /\[=*\[/ },
  graphql: { line: '#', block: null, refuses: /"""/ },
  gql: { line: '#', block: null, refuses: /"""/ },
  tf: { line: '#', block: ['/*', '*/'], refuses: /<<|\$\{|%\{/ },
};

const TOOLS =
  /ktlint|detekt|noinspection|@Suppress|swiftlint|swiftformat|sourcery|ignore(?:_for_file)?:|@dart|buf:|stylelint|prettier-|luacheck|selene|stylua|^\/\/\s*\+|^---@|tfsec:|tflint|checkov|@solidity|@custom:|^\/\*!|MARK:\s*-?\s*\{/;

const extension = (path: string): string => path.slice(path.lastIndexOf('.') + 1).toLowerCase();

export function isBraceLanguage(path: string): boolean {
  return Object.hasOwn(LANGUAGES, extension(path));
}

/** Proves two texts of a language known by its lexis alone equal line by line: comments, indentation and blank lines go. */
export function proveBraceLanguage(path: string, before: string, after: string): Judgment {
  const one = linesOf(path, before);
  const other = linesOf(path, after);
  return one && other
    ? compareTokens(one, other)
    : abstain('parse_error', 'a construct that spans lines or nests');
}

function linesOf(path: string, text: string): TokenText | null {
  const language = LANGUAGES[extension(path)];
  if (!language || language.refuses.test(text)) return null;
  const tokens: string[] = [];
  const comments: string[] = [];
  let line = '';
  const endLine = () => {
    if (line.trim() !== '') tokens.push(line.trim());
    line = '';
  };
  for (let at = 0; at < text.length; ) {
    const part = partAt(text, at, language.line, language.block);
    if (part === null) return null;
    const piece = text.slice(at, part.end);
    at = part.end;
    if (part.is === 'text') line += piece;
    else if (part.is === 'end of line') endLine();
    else {
      if (TOOLS.test(piece) || isRead(piece)) line += ` ${piece.trim()} `;
      else comments.push(piece.replace(/\s+/g, ' '));
      if (piece.includes('\n')) endLine();
      else line += ' ';
    }
  }
  endLine();
  return { tokens, raw: tokens, comments };
}

interface Part {
  readonly is: 'comment' | 'text' | 'end of line';
  readonly end: number;
}

/** What stands at `at`: a comment, a quoted text, the end of a line or one character; null when it is not certain. */
function partAt(
  text: string,
  at: number,
  line: string,
  block: readonly [string, string] | null,
): Part | null {
  const comment = commentAt(text, at, line, block);
  if (comment === null) return null;
  if (comment !== undefined) return { is: 'comment', end: comment };
  const character = text[at] as string;
  if (character === '\n') return { is: 'end of line', end: at + 1 };
  if (character !== '"' && character !== "'") return { is: 'text', end: at + 1 };
  const end = stringEnd(text, at);
  return end === null ? null : { is: 'text', end };
}

/** Where the comment at `at` ends; undefined when there is none, null when it does not end or nests. */
function commentAt(
  text: string,
  at: number,
  line: string,
  block: readonly [string, string] | null,
): number | null | undefined {
  if (text.startsWith(line, at)) {
    const end = text.indexOf('\n', at);
    return end < 0 ? text.length : end;
  }
  if (!block || !text.startsWith(block[0], at)) return undefined;
  const end = text.indexOf(block[1], at + 2);
  return end < 0 || text.slice(at + 2, end).includes(block[0]) ? null : end + 2;
}

/** Where the text that opens at `at` ends; null when it does not end on its line. */
function stringEnd(text: string, at: number): number | null {
  const quote = text[at];
  for (let index = at + 1; index < text.length; index += 1) {
    if (text[index] === '\n') return null;
    if (text[index] === '\\') index += 1;
    else if (text[index] === quote) return index + 1;
  }
  return null;
}

/** A token of CSS (CSS Syntax 3, 4), white space and comments included. */
export interface CssPiece {
  readonly is: 'space' | 'comment' | 'string' | 'number' | 'hash' | 'url' | 'word' | 'sign';
  readonly text: string;
}

/** Tokens up to a brace or a semicolon outside brackets, or the end of the text. */
export interface CssStatement {
  readonly pieces: readonly CssPiece[];
  readonly end: '{' | '}' | ';' | '';
  readonly start: number;
}

const TOKEN =
  /([ \t\n\r\f]+)|(\/\*(?:[^*]|\*(?!\/))*\*\/)|("(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*')|([+-]?(?:\d+\.\d+|\.\d+|\d+)(?:e[+-]?\d+)?(?:%|[a-z_-][\w-]*)?)|(#[\w\u0080-\uffff-]+)|(url\([ \t\n\r\f]*[^"'()\s\\][^"'()\s\\]*[ \t\n\r\f]*\))|(@?(?:[\w\u0080-\uffff-]|\\[^\n])+)|([\s\S])/giy;

const KINDS = ['space', 'comment', 'string', 'number', 'hash', 'url', 'word', 'sign'] as const;

/** Reads a style sheet; null when a text or a bracket in it does not end. */
export function readCss(text: string): readonly CssStatement[] | null {
  const statements: CssStatement[] = [];
  let pieces: CssPiece[] = [];
  let depth = 0;
  let start = 0;
  for (const found of text.matchAll(TOKEN)) {
    const index = found.slice(1).findIndex((group) => group !== undefined);
    const piece = { is: KINDS[index] ?? 'sign', text: found[0] };
    if (piece.is === 'sign' && /["']/.test(piece.text)) return null;
    if (piece.text === '/' && text.startsWith('/*', found.index)) return null;
    if (/^[([]$/.test(piece.text)) depth += 1;
    else if (/^[)\]]$/.test(piece.text)) depth -= 1;
    if (depth < 0) return null;
    if (depth > 0 || !/^[{};]$/.test(piece.text)) {
      pieces.push(piece);
      continue;
    }
    statements.push({ pieces, end: piece.text as CssStatement['end'], start });
    pieces = [];
    start = found.index + 1;
  }
  statements.push({ pieces, end: '', start });
  return depth === 0 ? statements : null;
}

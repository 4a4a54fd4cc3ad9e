import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Columns that a text takes on a terminal: wide characters take two, marks and colour codes none. */
export const columnsOf = (text: string): number => stringWidth(text);

/** Cuts a plain text to at most `columns`, between letters as people see them; `…` says that there was more. */
export function cut(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    const next = used + columnsOf(segment);
    if (next > columns - 1) break;
    kept += segment;
    used = next;
  }
  return `${kept}…`;
}

/** Exactly `columns` wide: cut or filled up with spaces. */
export function pad(text: string, columns: number): string {
  const fitted = cut(text, columns);
  return fitted + ' '.repeat(Math.max(0, columns - columnsOf(fitted)));
}

/** Breaks a plain text between words into lines of at most `columns`; a word that is longer is cut. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && columnsOf(longer) > columns) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line].map((each) => cut(each, columns));
}

/**
 * What a terminal would act on, made visible: control characters as their pictures, direction overrides as escapes.
 * File names and file text were written by others; none of it may move the cursor or turn a line around.
 */
export function plain(text: string): string {
  return text.replace(steering, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x20 ? String.fromCodePoint(0x2400 + code) : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for. Tab and line end stay.
const steering = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

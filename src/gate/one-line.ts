import { stripVTControlCharacters } from 'node:util';

/** Text on one line: no control sequences, no control characters, every run of white space one space. */
export function oneLine(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** The first `length` characters, the last one an ellipsis where something was cut. */
export function firstCharacters(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}

/** The last `length` characters of an output on one line, invalid UTF-8 replaced. */
export function lastCharacters(output: Uint8Array, length: number): string {
  const characters = [...oneLine(new TextDecoder().decode(output))];
  return characters.length <= length ? characters.join('') : `…${characters.slice(1 - length).join('')}`;
}

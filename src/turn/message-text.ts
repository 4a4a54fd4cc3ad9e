import { asJsonObject } from '../json/json-object.ts';

/** The text of a message: its content where that is a string, else its text blocks joined by line ends. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block) => asJsonObject(block)['text'])
    .filter((text) => typeof text === 'string')
    .join('\n');
}

/** True when any block of a message has one of these types. */
export const hasBlock = (content: unknown, ...types: readonly string[]): boolean =>
  Array.isArray(content) && content.some((block) => types.includes(String(asJsonObject(block)['type'])));

/** What stands between items, and between a key and its value. */
export interface JsonSeparators {
  readonly item: string;
  readonly key: string;
}

export const compactSeparators: JsonSeparators = { item: ',', key: ':' };
export const spacedSeparators: JsonSeparators = { item: ', ', key: ': ' };

/**
 * Writes JSON with sorted keys and every character outside printable ASCII escaped, U+007F included and astral
 * characters as surrogate pairs: the form that identifiers are hashed over (contract §2, §7, §13.5). A key whose
 * value is undefined is left out.
 */
export function asciiJson(value: unknown, separators: JsonSeparators): string {
  if (Array.isArray(value))
    return `[${value.map((item) => asciiJson(item, separators)).join(separators.item)}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => `${asciiString(key)}${separators.key}${asciiJson(item, separators)}`);
    return `{${entries.join(separators.item)}}`;
  }
  return typeof value === 'string' ? asciiString(value) : (JSON.stringify(value) ?? 'null');
}

const asciiString = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

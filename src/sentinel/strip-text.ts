const BLANK =
  '[\\t-\\r\\u001c-\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+';
const EDGES = new RegExp(`^${BLANK}|${BLANK}$`, 'g');

/**
 * Drops blank characters at both ends, as the rules that were written in Python do: unlike `trim` it takes U+001C to
 * U+001F and U+0085, and leaves a byte order mark.
 */
export const stripText = (text: string): string => text.replace(EDGES, '');

/** The stripped text, or the empty string for anything that is not text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? stripText(value) : '');

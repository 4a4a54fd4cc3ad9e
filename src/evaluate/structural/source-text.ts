/** What a format does with the ways a line can end, and with a byte order mark. */
export interface TextHabits {
  /** `free`: any line end means the same. `single_line`: the same unless a token spans lines. `fixed`: it counts. */
  readonly lineEnds: 'free' | 'single_line' | 'fixed';
  /** A byte order mark in front changes nothing. */
  readonly markIsFree: boolean;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a file, or null when it is not UTF-8 or holds a NUL. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    const text = decoder.decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

/** The text with line ends and mark in one spelling, where the format does not care. */
export function plainText(text: string, habits: TextHabits): string {
  const unmarked = habits.markIsFree && text.startsWith('\uFEFF') ? text.slice(1) : text;
  return habits.lineEnds === 'free' ? unmarked.replaceAll('\r\n', '\n') : unmarked;
}

/** The first line with its line end and its mark, where it names an interpreter: the system reads it byte by byte. */
function firstLine(text: string): string {
  return /^\uFEFF?#!/.test(text) ? text.slice(0, text.indexOf('\n') + 1) : '';
}

/** A difference in line ends or mark that counts in a format, in words; null when there is none. */
export function fixedDifference(
  before: string,
  after: string,
  { lineEnds, markIsFree }: TextHabits,
): string | null {
  const isProgram = before.includes('#!') && after.includes('#!');
  if (isProgram && firstLine(before) !== firstLine(after)) return 'the line that names the interpreter';
  if (!markIsFree && before.startsWith('\uFEFF') !== after.startsWith('\uFEFF')) return 'byte order mark';
  return lineEnds === 'fixed' && before.includes('\r') !== after.includes('\r') ? 'line ends' : null;
}

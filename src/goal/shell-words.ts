const PLAIN = /^[A-Za-z0-9_./:=@%+,-]+$/;

/** One word as a POSIX shell reads it back. */
const quoteWord = (word: string): string => (PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** A command line that can be pasted into a POSIX shell. */
export const shellCommand = (argv: readonly string[]): string => argv.map(quoteWord).join(' ');

/** The same with text on standard input; the text must hold no line that is only `JSON`. */
export const shellCommandWithInput = (argv: readonly string[], input: string): string =>
  `${shellCommand(argv)} <<'JSON'\n${input}\nJSON`;

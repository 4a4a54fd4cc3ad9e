/** What a command sees of the world, handed in so that tests can give another one. */
export interface Io {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly stdin: NodeJS.ReadableStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly tty: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  /** Characters per line of the terminal, 80 where there is none. */
  readonly columns: number;
  readonly colour: boolean;
}

/** The process's own streams, environment and clock. Colour only on a terminal and without `NO_COLOR`. */
export function processIo(): Io {
  const { stdout, stderr, stdin, env } = process;
  return {
    stdout,
    stderr,
    stdin,
    env,
    cwd: process.cwd(),
    now: Date.now,
    tty: { stdin: stdin.isTTY === true, stdout: stdout.isTTY === true, stderr: stderr.isTTY === true },
    columns: Math.min(stdout.columns || 80, 120),
    colour: stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb',
  };
}

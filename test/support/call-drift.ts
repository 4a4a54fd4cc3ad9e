import { Readable, Writable } from 'node:stream';
import { main } from '../../src/surfaces/cli/program.ts';

export interface Called {
  readonly exit: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of drift in this process: the real command, without the start of another Node. */
export async function callDrift(
  args: readonly string[],
  {
    cwd,
    env = {},
    input = '',
  }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>>; readonly input?: string },
): Promise<Called> {
  const { DRIFT_STATE_DIR: _state, DRIFT_CONFIG: _config, ...inherited } = process.env;
  const stdout = collector();
  const stderr = collector();
  const exit = await main(args, {
    stdout: stdout.stream,
    stderr: stderr.stream,
    stdin: Readable.from([Buffer.from(input)]),
    env: { ...inherited, ...env },
    cwd,
    now: Date.now,
    tty: { stdin: false, stdout: false, stderr: false },
    columns: 80,
    colour: false,
  });
  return { exit, stdout: stdout.text(), stderr: stderr.text() };
}

/** The one document that a command printed with `--json`. */
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a document.
export const documentOf = ({ stdout }: Pick<Called, 'stdout'>): any => JSON.parse(stdout);

function collector(): { readonly stream: Writable; readonly text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

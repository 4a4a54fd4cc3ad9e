import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { driftProgram } from './rig.ts';

/** util-linux's `script` gives a process a terminal of its own; without it the tests of a terminal cannot run. */
export const hasTerminal = existsSync('/usr/bin/script') && process.platform === 'linux';

/** What to wait for on the screen, and the keys to press then. */
export type Exchange = readonly [waitFor: string | RegExp, keys: string];

interface Seen {
  readonly rc: number | null;
  /** Everything that came, escape sequences taken out. */
  readonly screen: string;
  readonly raw: string;
}

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is taken out.
const bare = (text: string): string => text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '').replaceAll('\r', '');

/** Runs drift on a terminal of 80 columns and answers it, one exchange after the other. */
export function onTerminal(
  words: readonly string[],
  { cwd, exchanges, env = {} }: { cwd: string; exchanges: readonly Exchange[]; env?: Record<string, string> },
): Promise<Seen> {
  const command = `stty cols 80 rows 50; exec ${[driftProgram, ...words].map(quote).join(' ')}`;
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd,
    env: { ...process.env, TERM: 'xterm', NO_COLOR: undefined, SHELL: '/bin/sh', ...env },
  });
  let raw = '';
  let seen = 0;
  let next = 0;
  child.stdout.on('data', (bytes: Buffer) => {
    raw += bytes.toString('utf8');
    for (let exchange = exchanges[next]; exchange; exchange = exchanges[next]) {
      const fresh = bare(raw).slice(seen);
      const at = typeof exchange[0] === 'string' ? fresh.indexOf(exchange[0]) : fresh.search(exchange[0]);
      if (at < 0) return;
      seen += at + 1;
      next += 1;
      child.stdin.write(exchange[1]);
    }
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (rc) => {
      child.stdin.destroy();
      resolve({ rc, screen: bare(raw), raw });
    });
  });
}

// A PostgreSQL server of one's own for tests and measurements: a temporary folder, a Unix socket, no network. It ends
// with whoever started it, however that ends: a shell beside it waits on a pipe that only the starter holds open.
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OLDEST = 15;

/** The folder of the newest PostgreSQL programs (15 or later), or null: there is none on this machine. */
export function findPostgres() {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian)
    ? readdirSync(debian)
        .map(Number)
        .filter((version) => version >= OLDEST)
    : [];
  const folders = versions.sort((a, b) => b - a).map((version) => join(debian, String(version), 'bin'));
  const onPath = (process.env.PATH ?? '').split(':');
  return (
    [...folders, ...onPath].find((folder) => folder !== '' && existsSync(join(folder, 'initdb'))) ?? null
  );
}

/** PostgreSQL refuses root; Debian's package brings a user for it. */
const isRoot = process.geteuid?.() === 0;
const asServer = (program, args) =>
  isRoot ? ['runuser', ['-u', 'postgres', '--', program, ...args]] : [program, args];

function runAsServer(program, args) {
  const { status, stderr, error } = spawnSync(...asServer(program, args), { encoding: 'utf8', cwd: '/' });
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr}`);
}

/** Ends the server at once, as a power cut would, on a word or when the pipe closes; then leaves no trace. */
const beside = `
"$1/postgres" -D "$2/data" -k "$2" -c listen_addresses="$3" -p "$4" >>"$2/log" 2>&1 &
read -r word
kill -QUIT $!
wait $!
[ "$word" = halt ] || rm -rf "$2"
`;

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/**
 * Starts a server whose login `postgres` may do everything. `settings` are lines for postgresql.conf; `tcp` listens on
 * the loopback address too.
 *
 * @param {{ settings?: string[], tcp?: boolean }} [options]
 */
export async function startPostgres({ settings = [], tcp = false } = {}) {
  const programs = findPostgres();
  if (programs === null) throw new Error('no PostgreSQL programs on this machine');
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'drift-pg-')));
  if (isRoot) {
    const owner = (flag) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
    chownSync(folder, owner('-u'), owner('-g'));
  }
  const data = join(folder, 'data');
  runAsServer(join(programs, 'initdb'), [
    '-D',
    data,
    '-A',
    'trust',
    '-U',
    'postgres',
    '--no-sync',
    '-E',
    'UTF8',
    '--locale=C',
  ]);
  writeFileSync(join(data, 'postgresql.conf'), settings.map((line) => `${line}\n`).join(''), { flag: 'a' });
  const port = tcp ? await freePort() : 5432;
  let child = null;

  const start = async () => {
    const words = ['-c', beside, 'sh', programs, folder, tcp ? '127.0.0.1' : '', String(port)];
    child = spawn(...asServer('/bin/sh', words), { cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] });
    for (let tries = 0; tries < 600; tries += 1) {
      const { status } = spawnSync(join(programs, 'pg_isready'), ['-q', '-h', folder, '-p', String(port)]);
      if (status === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('PostgreSQL did not start');
  };
  const end = async (word) => {
    const ending = child;
    child = null;
    if (ending === null) return;
    await new Promise((resolve) => {
      ending.once('close', resolve);
      ending.stdin.end(word);
    });
  };

  await start();
  return {
    /** Where its socket lies. */
    folder,
    socket: join(folder, `.s.PGSQL.${port}`),
    port,
    url: (database = 'postgres', user = 'postgres') =>
      `postgres://${user}@/${database}?host=${folder}&port=${port}`,
    /** Stops it as a power cut would; `start` brings it back with what it had committed. */
    halt: () => end('halt\n'),
    start,
    stop: async () => {
      if (child === null) await start();
      await end('');
    },
  };
}

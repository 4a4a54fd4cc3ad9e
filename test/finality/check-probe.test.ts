import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { ledgerName } from '../../src/finality/check-ledger.ts';
import { driftProgram, type RunOptions, run, temporaryFolder } from '../support/rig.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const asked = '--id publish-42 --stage deliver --deliverable in_progress --dependency pending --required';
const words = [...asked.split(' '), '--semantic', '{"cursor":1}', '--action', 'check'];

/** The built program around a probe. */
const probe = (
  command: readonly string[],
  { args = [], ...options }: RunOptions & { args?: string[] } = {},
) => run([driftProgram, 'check', ...words, ...args, '--', ...command], { cwd: folder, ...options });

const ledger = (revision: number) => join('.drift', 'check', ledgerName('publish-42'), `${revision}.json`);
const written = async (name: string): Promise<string> => {
  const file = join(folder, name);
  while (!existsSync(file) || readFileSync(file, 'utf8') === '') await sleep(20);
  return readFileSync(file, 'utf8');
};

describe('a probe of drift check', () => {
  it.each([0, 7, 126, 127, 255])('gives exit status %i back', async (status) => {
    expect((await probe(['sh', '-c', `exit ${status}`])).rc).toBe(status);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGKILL', 'SIGPIPE'])('ends drift by its own %s', async (signal) => {
    expect((await probe(['sh', '-c', `kill -${signal.slice(3)} $$`])).rc).toBe(signal);
  });

  it('is told as a shell tells it when it cannot be started', async () => {
    expect(await probe(['no-such-program-here'])).toMatchObject({ rc: 127, out: '' });
    rmSync(join(folder, '.drift'), { recursive: true });
    expect(await probe(['/etc/passwd'])).toMatchObject({ rc: 126, out: '' });
  });

  it('has the bytes of stdin and stdout to itself', async () => {
    const bytes = Buffer.alloc(1_000_003, Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)));
    writeFileSync(join(folder, 'bytes'), bytes);
    const line = `'${driftProgram}' check ${words.map((word) => `'${word}'`).join(' ')} -- cat < bytes | sha256sum`;

    expect((await run(['sh', '-c', line], { cwd: folder })).out).toContain(
      createHash('sha256').update(bytes).digest('hex'),
    );
  });

  it('runs without stderr', async () => {
    const check = `'${driftProgram}' check ${words.map((word) => `'${word}'`).join(' ')} --`;
    const line = `${check} sh -c '[ -e /dev/fd/2 ] || echo closed' 2>&-`;

    expect(await run(['sh', '-c', line], { cwd: folder })).toMatchObject({ rc: 0, out: 'closed\n' });
  });

  it('keeps its words as they are', async () => {
    const { out } = await probe(['printf', '%s|', '', '1e3', '0x10', '--json', '--', '-x=1', 'a b']);

    expect(out).toBe('|1e3|0x10|--json|--|-x=1|a b|');
  });

  it('writes to stderr when stdout is for one document', async () => {
    const granted = await probe(['sh', '-c', 'echo seen; exit 7'], { args: ['--json'] });

    expect(JSON.parse(granted.out)).toMatchObject({
      schema: 'drift_check_v1',
      decision: 'allow',
      probe: { ran: true, exit: 7, signal: null },
    });
    expect(granted).toMatchObject({ rc: 7, err: 'seen\n' });
  });

  it('inherits what the caller has: open files, limits, ignored signals, odd words', async () => {
    writeFileSync(join(folder, 'kept'), 'from descriptor 7');
    const shown = 'cat <&7; ulimit -Sn; grep SigIgn /proc/self/status; printf %s "$1" | od -An -tx1';
    const check = `'${driftProgram}' check ${words.map((word) => `'${word}'`).join(' ')} --`;
    const setUp = 'exec 7<kept; ulimit -Sn 321; trap "" HUP; odd=$(printf "caf\\351");';
    const bare = await run(['sh', '-c', `${setUp} sh -c '${shown}' x "$odd"`], { cwd: folder });
    const wrapped = await run(['sh', '-c', `${setUp} ${check} sh -c '${shown}' x "$odd"`], { cwd: folder });

    expect(bare.out).toMatch(/from descriptor 7321\n.*63 61 66 e9/s);
    expect(wrapped).toEqual(bare);
  });

  it('is started though NODE_OPTIONS is meant for another Node, and gets it', async () => {
    const env = { NODE_OPTIONS: '--no-such-option' };

    expect(await probe(['sh', '-c', 'echo $NODE_OPTIONS'], { env })).toMatchObject({
      rc: 0,
      out: '--no-such-option\n',
    });
  });

  it('is named by its signal in the document, and drift ends by it', async () => {
    const granted = await probe(['sh', '-c', 'kill -TERM $$'], { args: ['--json'] });

    expect(granted.rc).toBe('SIGTERM');
    expect(JSON.parse(granted.out).probe).toEqual({ ran: true, exit: null, signal: 'SIGTERM' });
  });

  it('gets a signal that is sent to drift, once, and drift waits for its end', async () => {
    const script = 'trap "echo got >> signals; exit 42" TERM; echo x > ready; while :; do sleep 0.05; done';
    const ended = await probe(['sh', '-c', script], {
      onStart: (child) => void written('ready').then(() => child.kill('SIGTERM')),
    });

    expect(ended.rc).toBe(42);
    expect(await written('signals')).toBe('got\n');
  });

  it('starts only after its grant is durable', async () => {
    expect(await probe(['grep', '-c', '"checks_for_state":1', ledger(1)])).toMatchObject({
      rc: 0,
      out: '1\n',
    });
  });

  it('is not granted again after drift was killed while it ran', async () => {
    const ended = await probe(['sh', '-c', 'echo $$ > started; exec sleep 30 >&- 2>&-'], {
      onStart: (child) => void written('started').then(() => child.kill('SIGKILL')),
    });
    expect(ended.rc).toBe('SIGKILL');
    killIfAlive(Number(await written('started')));

    expect(await probe(['touch', 'again'])).toMatchObject({ rc: 3, out: '' });
    expect(existsSync(join(folder, 'again'))).toBe(false);
  });

  it('is not started when it is denied, must finish, or the ledger cannot be used', async () => {
    const accepted = ['--deliverable', 'accepted', '--id', 'other', '--not-required'];
    writeFileSync(join(folder, 'file'), '');
    await probe(['true']);

    expect((await probe(['touch', 'started'])).rc).toBe(3);
    expect(
      (
        await run(
          [
            driftProgram,
            'check',
            ...words.filter((word) => word !== '--required'),
            ...accepted,
            '--',
            'touch',
            'started',
          ],
          { cwd: folder },
        )
      ).rc,
    ).toBe(4);
    expect((await probe(['touch', 'started'], { args: ['--state-dir', 'file'] })).rc).toBe(5);
    expect((await probe([], {})).rc).toBe(2);
    expect(existsSync(join(folder, 'started'))).toBe(false);
  });
});

describe('callers at the same time', () => {
  const race = async (callers: number) => {
    const probes = Array.from({ length: callers }, () => probe(['sh', '-c', 'echo x >> grants']));
    return (await Promise.all(probes)).map(({ rc }) => rc).toSorted();
  };

  it('get the check of one state exactly once', async () => {
    expect(await race(6)).toEqual([0, 3, 3, 3, 3, 3]);
    expect(await written('grants')).toBe('x\n');
    expect(readFileSync(join(folder, ledger(6)), 'utf8')).toContain('"checks_for_state":6');
  });

  it('get it once even when the lock is torn away all the time', async () => {
    mkdirSync(join(folder, '.drift'));
    const lock = join(folder, '.drift', 'check', ledgerName('publish-42'), 'lock');
    const tearing = setInterval(() => rmSync(lock, { recursive: true, force: true }), 5);
    const exits = await race(6);
    clearInterval(tearing);

    expect(exits.filter((exit) => exit === 0)).toHaveLength(1);
    expect(await written('grants')).toBe('x\n');
  });
});

/** A probe may stand in drift's own place, and has then been killed with it. */
function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

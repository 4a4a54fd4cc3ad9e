import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { callDrift, documentOf } from '../support/call-drift.ts';
import { driftProgram, run, temporaryFolder } from '../support/rig.ts';
import { claude, codex, pi, toLog } from '../support/session-logs.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const turn = (...args: string[]) => callDrift(['turn', ...args], { cwd: folder });
const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
const log = (...rows: readonly unknown[]) => write('log.jsonl', toLog(pi.header(), ...rows));

describe('drift turn classify', () => {
  it.each([
    ['stop', pi.assistant('stop'), 0],
    ['aborted', pi.assistant('aborted'), 10],
    ['compaction', pi.compaction(), 11],
    ['error', pi.assistant('error'), 12],
    ['unfinished', pi.assistant('toolUse'), 13],
  ])('exits by the end: %s', async (end, row, exit) => {
    log(pi.user(), row);
    const classified = await turn('classify', '--log', 'log.jsonl', '--json');

    expect(classified.exit).toBe(exit);
    expect(documentOf(classified)).toMatchObject({ schema: 'drift_turn_v1', format: 'pi', end });
  });

  it('ends the built program the same way', async () => {
    log(pi.user(), pi.assistant('error', { errorMessage: 'upstream 529' }));
    const ended = await run([driftProgram, 'turn', 'classify', '--log', 'log.jsonl'], { cwd: folder });

    expect(ended).toMatchObject({ rc: 12, out: expect.stringMatching(/^error: .*\nerror: upstream 529\n/) });
  });

  it('knows each host by its rows, and takes the one that is named', async () => {
    write('claude.jsonl', toLog(claude.user(), claude.assistant('end_turn')));
    write('codex.jsonl', toLog(codex.meta(), codex.start('t'), codex.complete('t')));

    expect(documentOf(await turn('classify', '--log', 'claude.jsonl', '--json')).format).toBe('claude');
    expect(documentOf(await turn('classify', '--log', 'codex.jsonl', '--json')).format).toBe('codex');
    const named = documentOf(await turn('classify', '--log', 'codex.jsonl', '--format', 'pi', '--json'));
    expect(named).toMatchObject({ format: 'pi', entries: 0, skipped: { unknown_type: 3 } });
  });

  it('has a four-valued view', async () => {
    log(pi.user(), pi.assistant('toolUse'));
    const compatible = await turn('classify', '--log', 'log.jsonl', '--compat', 'pi-task', '--json');

    expect(compatible.exit).toBe(0);
    expect(documentOf(compatible)).toMatchObject({ end: 'stop', flags: [] });
  });

  it('reads the turn that is named', async () => {
    const rows = [
      codex.start('t1'),
      codex.aborted('t1'),
      codex.start('t2'),
      codex.assistant(),
      codex.complete('t2'),
    ];
    write('log.jsonl', toLog(...rows));

    expect((await turn('classify', '--log', 'log.jsonl', '--turn', 't1')).exit).toBe(10);
    expect((await turn('classify', '--log', 'log.jsonl', '--turn', 't2')).exit).toBe(0);
  });

  it.each([
    [['classify'], 'usage'],
    [['classify', '--log', 'nowhere'], 'file_missing'],
    [['classify', '--log', 'text'], 'log_format_unknown'],
    [['classify', '--log', 'codex', '--turn', 'x'], 'turn_not_found'],
    [['classify', '--log', 'text', '--format', 'emacs'], 'usage'],
    [[], 'usage'],
    [['guess', '--log', 'text'], 'usage'],
    [['supervise', '--log', 'codex', '--wait-cmd', 'true'], 'usage'],
    [['supervise', '--log', 'codex', '--send-cmd', 'true'], 'usage'],
    [
      ['supervise', '--log', 'codex', '--send-cmd', 'true', '--wait-cmd', 'true', '--max-resumes', 'x'],
      'usage',
    ],
  ])('refuses %j with exit 2', async (args, reason) => {
    write('text', 'hello\n');
    write('codex', toLog(codex.start('t')));
    const refused = await turn(...args, '--json');

    expect(refused.exit).toBe(2);
    expect(documentOf(refused).error.reason).toBe(reason);
  });

  it('has two examples in its help', async () => {
    expect((await turn('--help')).stdout.match(/^ {2}drift turn/gm)).toHaveLength(2);
  });
});

describe('drift turn supervise', () => {
  /** Each line of `answers` is what the session does with one message. */
  const supervise = async (answers: readonly unknown[][], ...args: string[]) => {
    for (const [n, rows] of answers.entries()) write(`answer.${n + 1}`, toLog(...rows));
    write(
      'send.sh',
      'n=$(($(cat sent 2>/dev/null || echo 0) + 1)); echo $n > sent; cat >> texts; echo >> texts; cat answer.$n >> log.jsonl 2>/dev/null; true',
    );
    const words = ['--log', 'log.jsonl', '--send-cmd', 'sh send.sh', '--wait-cmd', 'echo waited >> waits'];
    const supervised = await turn('supervise', ...words, ...args, '--json');
    return { exit: supervised.exit, ...documentOf(supervised) };
  };
  const texts = () => (existsSync(join(folder, 'texts')) ? readFileSync(join(folder, 'texts'), 'utf8') : '');
  const stop = [pi.user(), pi.assistant('stop')];
  const parked = [pi.user(), pi.assistant('stop'), pi.compaction()];
  const aborted = [pi.user(), pi.assistant('aborted')];

  it('does nothing for a turn that has ended', async () => {
    log(...stop);

    expect(await supervise([])).toEqual({
      exit: 0,
      schema: 'drift_supervise_v1',
      interrupted: false,
      error: null,
      resumes: 0,
      capped: false,
      end: 'stop',
      steps: [],
    });
    expect(texts()).toBe('');
  });

  it('resumes across two compactions, each with a word that lets a finished turn stop', async () => {
    log(...parked);

    expect(await supervise([parked, stop])).toMatchObject({
      exit: 0,
      resumes: 2,
      steps: [
        { kind: 'resume', n: 1 },
        { kind: 'resume', n: 2 },
      ],
    });
    expect(texts().match(/say so in one line and stop/g)).toHaveLength(2);
    expect(readFileSync(join(folder, 'waits'), 'utf8')).toBe('waited\nwaited\n');
  });

  it('gives up at the most resumes, and says that it did', async () => {
    log(...parked);

    expect(await supervise([], '--max-resumes', '3')).toMatchObject({
      exit: 11,
      resumes: 3,
      capped: true,
      end: 'compaction',
    });
  });

  it('reports the error of the real end', async () => {
    log(...parked);

    expect(await supervise([[pi.assistant('error', { errorMessage: 'upstream 529' })]])).toMatchObject({
      exit: 12,
      error: 'upstream 529',
      interrupted: false,
      resumes: 1,
    });
  });

  it('pauses after an abort when nobody can be asked, or the answer is blank', async () => {
    log(...aborted);

    expect(await supervise([])).toMatchObject({
      exit: 10,
      interrupted: true,
      steps: [{ kind: 'ask', answered: false }],
    });
    expect(await supervise([], '--ask-cmd', 'echo "  "')).toMatchObject({
      exit: 10,
      interrupted: true,
      error: null,
    });
    expect(texts()).toBe('');
  });

  it('steers with the answer, and resumes a compaction that happens meanwhile, which counts', async () => {
    log(...aborted);

    expect(await supervise([parked, stop], '--ask-cmd', 'echo "use the other file"')).toMatchObject({
      exit: 0,
      interrupted: false,
      resumes: 1,
      steps: [
        { kind: 'ask', answered: true },
        { kind: 'resume', n: 1 },
      ],
    });
    expect(texts()).toMatch(/^use the other file\n/);
  });

  it('stops asking when nobody listens to the answers', async () => {
    log(...aborted);

    expect(await supervise([], '--ask-cmd', 'echo again')).toMatchObject({
      exit: 10,
      interrupted: true,
      steps: [{ kind: 'ask', answered: true }, { kind: 'unheard' }],
    });
  });

  it('waits for a watchdog that recovers the turn by itself, and takes its flag once', async () => {
    log(...aborted);
    write('flag', '');
    write('late', toLog(pi.user('watchdog: the command took too long'), pi.assistant('stop')));
    const watchdog = spawn('sh', ['-c', 'while [ -e flag ]; do sleep 0.05; done; cat late >> log.jsonl'], {
      cwd: folder,
    });
    const supervised = await supervise([], '--ask-cmd', 'false', '--watchdog-flag', 'flag');
    watchdog.kill();

    expect(supervised).toMatchObject({ end: 'stop', steps: [{ kind: 'watchdog_wait', recovered: true }] });
    expect(existsSync(join(folder, 'flag'))).toBe(false);
  });

  it('takes the delivered reminder for a recovery and waits for its turn', async () => {
    log(...aborted, pi.user('WATCHDOG: too long'));
    write('flag', '');
    write('more', toLog(pi.assistant('stop')));
    const watchdog = ['--watchdog-flag', 'flag', '--watchdog-marker', 'WATCHDOG'];
    const supervised = documentOf(
      await turn(
        'supervise',
        '--log',
        'log.jsonl',
        '--send-cmd',
        'false',
        '--wait-cmd',
        'cat more >> log.jsonl',
        ...watchdog,
        '--json',
      ),
    );

    expect(supervised).toMatchObject({ end: 'stop', steps: [{ kind: 'watchdog_wait', recovered: true }] });
  });

  it('does not take a reminder that was answered already for one', async () => {
    log(pi.user('WATCHDOG: too long'), ...aborted);
    write('flag', '');
    const watchdog = [
      '--watchdog-flag',
      'flag',
      '--watchdog-marker',
      'WATCHDOG',
      '--grace-ms',
      '300',
      '--poll-ms',
      '50',
    ];

    expect(await supervise([], ...watchdog)).toMatchObject({
      interrupted: true,
      steps: [
        { kind: 'watchdog_wait', recovered: false },
        { kind: 'ask', answered: false },
      ],
    });
  });

  it.each([
    ['--send-cmd', ['--send-cmd', 'exit 3', '--wait-cmd', 'true']],
    ['--wait-cmd', ['--send-cmd', 'true', '--wait-cmd', 'kill -9 $$']],
  ])('names the command that failed: %s', async (field, args) => {
    log(...parked);
    const failed = await turn('supervise', '--log', 'log.jsonl', ...args, '--json');

    expect(failed.exit).toBe(2);
    expect(documentOf(failed).error).toMatchObject({ reason: 'host_command_failed', field });
  });

  it('minds no command that leaves its message unread', async () => {
    log(...parked);
    write('answer', toLog(...stop));
    const args = ['--send-cmd', 'exec <&-; cat answer >> log.jsonl', '--wait-cmd', 'true'];

    expect((await turn('supervise', '--log', 'log.jsonl', ...args)).exit).toBe(0);
  });
});

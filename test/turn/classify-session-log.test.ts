import { spawn } from 'node:child_process';
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type ClassifyOptions,
  classifySessionLog,
  compatibleView,
  type SessionReading,
} from '../../src/turn/classify-session-log.ts';
import { classifyTurnEnd } from '../../src/turn/classify-turn-end.ts';
import { temporaryFolder } from '../support/rig.ts';
import { claude, codex, pi, toLog } from '../support/session-logs.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const attempt = (content: string | Uint8Array, options?: ClassifyOptions) => {
  const file = join(folder, 'log.jsonl');
  writeFileSync(file, content);
  return classifySessionLog(file, options);
};
const read = (content: string | Uint8Array, options?: ClassifyOptions): SessionReading => {
  const reading = attempt(content, options);
  if (!reading.ok) throw new Error(JSON.stringify(reading.failure));
  return reading.value;
};

describe('a log of pi', () => {
  const log = (...rows: readonly unknown[]) => read(toLog(pi.header(), ...rows));

  it.each([
    ['a stop', [pi.user(), pi.assistant('stop')], 'stop', []],
    ['a tool that was never answered', [pi.user(), pi.assistant('toolUse')], 'unfinished', ['awaiting_tool']],
    [
      'a tool result and nothing after it',
      [pi.assistant('toolUse'), pi.toolResult()],
      'unfinished',
      ['awaiting_tool'],
    ],
    ['a message at its length limit', [pi.user(), pi.assistant('length')], 'stop', ['max_tokens']],
    ['a prompt without an answer', [pi.user()], 'unfinished', ['no_assistant']],
    ['a second prompt without an answer', [pi.assistant('stop'), pi.user()], 'unfinished', []],
    ['an abort', [pi.user(), pi.assistant('aborted')], 'aborted', []],
    ['an abort before a compaction', [pi.assistant('aborted'), pi.compaction()], 'aborted', []],
    ['a compaction', [pi.assistant('stop'), pi.compaction(), pi.entry('model_change')], 'compaction', []],
    ['a compaction alone', [pi.compaction()], 'compaction', ['no_assistant']],
    ['an unknown word', [pi.user(), pi.assistant('whatever')], 'stop', []],
    [
      'a message of an extension after the end',
      [pi.assistant('stop'), pi.entry('custom_message')],
      'stop',
      [],
    ],
  ])('that ends in %s', (_name, rows, end, flags) => {
    expect(log(...rows)).toMatchObject({ format: 'pi', end, flags });
  });

  it('names the error, though a compaction decides the end', () => {
    const failed = pi.assistant('error', { errorMessage: 'upstream 529' });

    expect(log(failed)).toMatchObject({ end: 'error', error_message: 'upstream 529' });
    expect(log(failed, pi.compaction())).toMatchObject({ end: 'compaction', error_message: 'upstream 529' });
    expect(log(pi.assistant('error'))).toMatchObject({ error_message: 'unknown error' });
  });

  it('says where it read the end', () => {
    const prompt = pi.user();

    expect(log(prompt, pi.assistant('stop'), pi.compaction())).toMatchObject({
      evidence: { last_assistant: 1, last_boundary: 2, stop_reason: 'stop', turn_id: prompt.id },
      entries: 3,
      skipped: { sidechain: 0, unknown_type: 0, malformed: 0, duplicate: 0 },
    });
  });

  it('follows the branch of the newest entry, whatever lies between in the file', () => {
    const rows = [
      pi.user('one', { id: 'a', parent: null }),
      pi.assistant('stop', {}, { id: 'b', parent: 'a' }),
      pi.user('left', { id: 'c', parent: 'b' }),
      pi.assistant('aborted', {}, { id: 'd', parent: 'c' }),
      pi.compaction({ id: 'e', parent: 'd' }),
      pi.entry('label', { targetId: 'b' }, { id: 'f', parent: 'b' }),
    ];

    expect(log(...rows)).toMatchObject({ end: 'stop', evidence: { last_assistant: 1, last_boundary: -1 } });
    expect(log(...rows.slice(0, 5))).toMatchObject({ end: 'aborted' });
  });

  it('starts anew at a new root', () => {
    const rows = [
      pi.assistant('aborted', {}, { id: 'a', parent: null }),
      pi.user('new', { id: 'b', parent: null }),
    ];

    expect(log(...rows)).toMatchObject({ end: 'unfinished', flags: ['no_assistant'] });
  });

  it('reads one turn of several', () => {
    const first = pi.user('one', { id: 'p1', parent: null });
    const rows = [
      first,
      pi.assistant('aborted', {}, { id: 'a1', parent: 'p1' }),
      pi.user('two', { id: 'p2', parent: 'a1' }),
      pi.assistant('stop', {}, { id: 'a2', parent: 'p2' }),
    ];

    expect(read(toLog(pi.header(), ...rows), { turnId: 'p1' })).toMatchObject({ end: 'aborted' });
    expect(read(toLog(pi.header(), ...rows), { turnId: 'p2' })).toMatchObject({ end: 'stop' });
    expect(attempt(toLog(pi.header(), ...rows), { turnId: 'p3' })).toMatchObject({
      failure: { reason: 'turn_not_found' },
    });
  });

  it('agrees in its four-valued view with the pure rule, for every log without a fork', () => {
    const reason = fc.constantFrom('stop', 'aborted', 'error', 'length', 'toolUse');
    const entry = fc.oneof(
      reason.map((stop) => () => pi.assistant(stop, { errorMessage: 'e' })),
      fc.constantFrom(
        () => pi.user(),
        () => pi.compaction(),
        () => pi.toolResult(),
        () => pi.entry('model_change'),
      ),
    );
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 12 }), (makers) => {
        const entries = makers.map((make) => make());
        const { end, error_message: message } = compatibleView(read(toLog(pi.header(), ...entries)));

        expect({ end, ...(message === null ? {} : { error_message: message }) }).toEqual(
          classifyTurnEnd({ entries }),
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe('a log of Claude Code', () => {
  const log = (...rows: readonly unknown[]) => read(toLog(...rows));

  it.each([
    ['end_turn', [claude.user(), claude.assistant('end_turn')], 'stop', []],
    ['stop_sequence', [claude.assistant('stop_sequence')], 'stop', []],
    ['a refusal', [claude.assistant('refusal')], 'stop', []],
    ['max_tokens', [claude.assistant('max_tokens')], 'stop', ['max_tokens']],
    ['a tool that was never answered', [claude.user(), claude.toolUse()], 'unfinished', ['awaiting_tool']],
    [
      'a tool result and nothing after it',
      [claude.toolUse(), claude.toolResult()],
      'unfinished',
      ['awaiting_tool'],
    ],
    ['a paused turn', [claude.assistant('pause_turn')], 'unfinished', []],
    ['no reason, with text', [claude.assistant(null)], 'stop', []],
    [
      'no reason, with a tool',
      [claude.assistant(null, { content: [{ type: 'tool_use', id: 't' }] })],
      'unfinished',
      ['awaiting_tool'],
    ],
    [
      'no reason, with a thought',
      [claude.assistant(null, { content: [{ type: 'thinking', thinking: 'h' }] })],
      'unfinished',
      [],
    ],
    ['an interrupt', [claude.assistant(null), claude.interrupt()], 'aborted', []],
    [
      'an interrupt for a tool',
      [claude.toolUse(), claude.toolResult('rejected'), claude.interrupt(true)],
      'aborted',
      ['awaiting_tool'],
    ],
    [
      'an answer after an interrupt',
      [claude.interrupt(), claude.user(), claude.assistant('end_turn')],
      'stop',
      [],
    ],
    [
      'a compaction',
      [claude.assistant('end_turn'), claude.boundary(), claude.summaryOfCompaction()],
      'compaction',
      [],
    ],
    [
      'an answer after a compaction',
      [claude.boundary(), claude.summaryOfCompaction(), claude.assistant('end_turn')],
      'stop',
      [],
    ],
    [
      'a compaction and a result',
      [claude.assistant('end_turn'), claude.boundary(), claude.result('success')],
      'stop',
      [],
    ],
    ['a prompt without an answer', [claude.assistant('end_turn'), claude.user()], 'unfinished', []],
    [
      'a command of the host',
      [claude.assistant('end_turn'), claude.user('<command-name>/cost</command-name>')],
      'stop',
      [],
    ],
    [
      'a note of the host',
      [claude.assistant('end_turn'), claude.user('caveat', { isMeta: true })],
      'stop',
      [],
    ],
    [
      'a result',
      [claude.toolUse(), claude.toolResult(), claude.result('success')],
      'stop',
      ['awaiting_tool'],
    ],
  ])('that ends in %s', (_name, rows, end, flags) => {
    expect(log(...rows)).toMatchObject({ format: 'claude', end, flags, error_message: null });
  });

  it.each([
    [
      'a failed request that looks like a stop',
      [claude.user(), claude.apiError('API Error: 529')],
      'API Error: 529',
    ],
    [
      'a failed run',
      [claude.assistant('end_turn'), claude.result('error_during_execution')],
      'error_during_execution',
    ],
    [
      'a run at its limit of turns',
      [claude.toolUse(), claude.result('error_max_turns', { is_error: false })],
      'error_max_turns',
    ],
    ['a result that is an error', [claude.result('success', { is_error: true, result: 'credit' })], 'credit'],
  ])('tells %s as an error', (_name, rows, message) => {
    expect(log(...rows)).toMatchObject({ end: 'error', error_message: message });
  });

  it('counts the rows of a side chain and reads none of them', () => {
    const aside = [claude.user('aside', { isSidechain: true }), claude.toolUse({ isSidechain: true })];

    expect(log(claude.user(), claude.assistant('end_turn'), ...aside)).toMatchObject({
      end: 'stop',
      entries: 2,
      skipped: { sidechain: 2 },
    });
  });

  it('takes the rows of one message together', () => {
    const whole = [claude.toolUse({ id: 'm1' }), claude.assistant(null, { id: 'm1' })];
    const finished = [
      claude.assistant('end_turn', { id: 'm2' }),
      claude.assistant(null, { id: 'm2', content: [] }),
    ];

    expect(log(claude.user(), ...whole)).toMatchObject({ end: 'unfinished', flags: ['awaiting_tool'] });
    expect(log(claude.user(), ...finished)).toMatchObject({
      end: 'stop',
      evidence: { stop_reason: 'end_turn' },
    });
  });

  it('follows the branch of the newest row after a rewind', () => {
    const prompt = claude.user('one');
    const answer = claude.assistant('end_turn', { parentUuid: prompt.uuid } as object);
    const left = claude.interrupt();
    const rows = [
      prompt,
      answer,
      { ...left, parentUuid: answer.uuid },
      { ...claude.user('again'), parentUuid: prompt.uuid },
    ];

    expect(log(...rows)).toMatchObject({ end: 'unfinished' });
    expect(log(...rows.slice(0, 3))).toMatchObject({ end: 'aborted' });
  });
});

describe('a log of Codex', () => {
  const log = (...rows: readonly unknown[]) => read(toLog(codex.meta(), ...rows));
  const turn = (...rows: readonly unknown[]) => [codex.start('t1'), codex.user(), ...rows];

  it.each([
    ['a completed turn', turn(codex.assistant(), codex.complete('t1')), 'stop', []],
    [
      'a completed turn without a last message',
      turn(codex.assistant(), codex.complete('t1', null)),
      'stop',
      ['null_last_message'],
    ],
    ['a turn that nothing closed', turn(codex.assistant()), 'unfinished', []],
    ['a turn that was killed in a tool', turn(codex.call()), 'unfinished', ['awaiting_tool']],
    ['a turn that was killed before an answer', turn(), 'unfinished', ['no_assistant']],
    ['an abort', turn(codex.assistant(), codex.aborted('t1')), 'aborted', []],
    ['an abort for the budget', turn(codex.call(), codex.aborted('t1', 'budget_limited')), 'aborted', []],
    ['a compaction that parked it', turn(codex.assistant(), codex.compacted()), 'compaction', []],
    [
      'a compaction, then its end',
      turn(codex.assistant(), codex.compacted(), codex.complete('t1')),
      'stop',
      [],
    ],
    ['a compaction, then more', turn(codex.compacted(), codex.assistant(), codex.complete('t1')), 'stop', []],
    [
      'a retried stream',
      turn(codex.event('stream_error', { message: 'x' }), codex.assistant(), codex.complete('t1')),
      'stop',
      [],
    ],
    [
      'an error, then more',
      turn(codex.event('error', { message: 'x' }), codex.assistant(), codex.complete('t1')),
      'stop',
      [],
    ],
  ])('that ends in %s', (_name, rows, end, flags) => {
    expect(log(...rows)).toMatchObject({ format: 'codex', end, flags, error_message: null });
  });

  it('tells an error without later output, closed or not', () => {
    const failed = codex.event('error', { message: 'usage limit' });

    expect(log(...turn(codex.assistant(), failed))).toMatchObject({
      end: 'error',
      error_message: 'usage limit',
    });
    expect(log(...turn(failed, codex.complete('t1', null)))).toMatchObject({
      end: 'error',
      error_message: 'usage limit',
    });
  });

  it('lets no older completion close a newer turn', () => {
    const rows = [...turn(codex.assistant()), codex.start('t2'), codex.user(), codex.complete('t1')];

    expect(log(...rows)).toMatchObject({ end: 'unfinished', evidence: { turn_id: 't2' } });
    expect(read(toLog(...rows), { turnId: 't1' })).toMatchObject({
      end: 'stop',
      evidence: { turn_id: 't1' },
    });
    expect(attempt(toLog(...rows), { turnId: 't9' })).toMatchObject({
      failure: { reason: 'turn_not_found' },
    });
  });

  it('forgets the compaction of an earlier turn', () => {
    const rows = [
      ...turn(codex.assistant(), codex.compacted(), codex.complete('t1')),
      codex.start('t2'),
      codex.user(),
    ];

    expect(log(...rows)).toMatchObject({ end: 'unfinished' });
  });

  it('is not started again by a row that stands twice', () => {
    const rows = turn(codex.assistant(), codex.complete('t1'));

    expect(log(...rows, codex.start('t1'))).toMatchObject({ end: 'stop' });
  });

  it('reads an older log without turns by its messages', () => {
    expect(log(codex.user(), codex.assistant())).toMatchObject({ end: 'stop' });
    expect(log(codex.user(), codex.call())).toMatchObject({ end: 'unfinished', flags: ['awaiting_tool'] });
  });
});

describe('a log that is not whole', () => {
  const good = toLog(pi.header(), pi.user(), pi.assistant('stop'));
  const half = '{"type":"message","message":{"role":"assista';

  it.each([
    ['a last line that is cut off', good + half, ['truncated_tail'], 0],
    ['a tail of NUL bytes', `${good}${'\0'.repeat(5_000)}`, ['truncated_tail'], 0],
    ['a cut line and NUL bytes', `${good}${half}${'\0'.repeat(100)}`, ['truncated_tail'], 0],
    ['a whole last line without a line end', good.trimEnd(), [], 0],
    ['a byte order mark', `\uFEFF${good}`, [], 0],
    ['the line ends of another system', good.replaceAll('\n', '\r\n'), [], 0],
    ['empty lines', good.replaceAll('\n', '\n\n'), [], 0],
    ['lines that are no objects', `${good}[]\n7\nnot json\n`, [], 3],
    [
      'NUL bytes before a line',
      `${toLog(pi.header())}\0\0\0${toLog(pi.user(), pi.assistant('stop'))}`,
      [],
      0,
    ],
  ])('is read with %s', (_name, content, flags, malformed) => {
    expect(read(content)).toMatchObject({ end: 'stop', flags, entries: 2, skipped: { malformed } });
  });

  it('counts unknown types and rows that stand twice, and goes on', () => {
    const last = pi.assistant('stop');
    const rows = toLog(pi.header(), pi.user(), { type: 'telepathy', id: 'x' }, last, last, {
      ...last,
      timestamp: 'later',
    });

    expect(read(rows)).toMatchObject({ end: 'stop', entries: 2, skipped: { unknown_type: 1, duplicate: 2 } });
  });

  it('holds a line of more than ten megabytes', () => {
    const large = pi.toolResult();
    const content = toLog(
      pi.header(),
      pi.user(),
      { ...large, filler: 'x'.repeat(12_000_000) },
      pi.assistant('stop'),
    );

    expect(read(content)).toMatchObject({ end: 'stop', entries: 3 });
  });

  it('counts a line beyond the limit, and keeps its memory', () => {
    const filler = Buffer.alloc(70 * 1024 * 1024, 'x');
    const content = Buffer.concat([
      Buffer.from(toLog(pi.header(), pi.user())),
      filler,
      Buffer.from(`\n${toLog(pi.assistant('stop'))}`),
    ]);

    expect(read(content)).toMatchObject({ end: 'stop', entries: 2, skipped: { malformed: 1 } });
  });

  it('is empty: nothing shows that a turn ended', () => {
    expect(read('')).toMatchObject({ format: null, end: 'unfinished', flags: ['no_assistant'], entries: 0 });
    expect(compatibleView(read(''))).toMatchObject({ end: 'stop', flags: [] });
  });

  it('is read as it was at a size that is named', () => {
    const more = toLog(pi.user());

    expect(read(good + more, { sizeBytes: good.length }).end).toBe('stop');
    expect(read(good + more).end).toBe('unfinished');
  });

  it('grows while it is read', async () => {
    const file = join(folder, 'growing.jsonl');
    writeFileSync(file, good);
    writeFileSync(join(folder, 'row'), toLog(pi.user('x'.repeat(50_000))));
    const writer = spawn('sh', ['-c', `while :; do cat row >> growing.jsonl; done`], { cwd: folder });
    while (statSync(file).size < 1_000_000) await sleep(5);
    const readings = Array.from({ length: 10 }, () => classifySessionLog(file));
    writer.kill();

    for (const reading of readings) expect(reading).toMatchObject({ ok: true, value: { end: 'unfinished' } });
  });
});

describe('a file that is no log', () => {
  it.each([
    ['rows of nobody', '{"a":1}\n{"type":"telepathy"}\n'],
    ['a text', 'hello\n'],
  ])('is refused: %s', (_name, content) => {
    expect(attempt(content)).toMatchObject({ ok: false, failure: { reason: 'log_format_unknown' } });
  });

  it('is refused when it is not there, or a folder', () => {
    mkdirSync(join(folder, 'dir'));
    symlinkSync('/nowhere', join(folder, 'link'));

    expect(classifySessionLog(join(folder, 'none'))).toMatchObject({ failure: { reason: 'file_missing' } });
    expect(classifySessionLog(join(folder, 'link'))).toMatchObject({ failure: { reason: 'file_missing' } });
    expect(classifySessionLog(join(folder, 'dir'))).toMatchObject({
      failure: { reason: 'file_not_regular' },
    });
  });
});

import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Comparison } from '../../src/compare/comparison.ts';
import { serve } from '../support/remote.ts';
import { driftProgram, type Ended, namesIn, run, temporaryFolder } from '../support/rig.ts';
import { answerFixture } from '../support/scripted-opinions.ts';
import { hasTerminal, onTerminal } from '../support/terminal.ts';

const fixture = fileURLToPath(new URL('../../fixtures/compare/', import.meta.url));
const matrixFile = join(fixture, 'matrix.json');
const responses = join(fixture, 'responses');

interface Compared {
  readonly ended: Ended;
  readonly output: Comparison | null;
  /** Names left in the folder for temporary files. */
  readonly left: readonly string[];
}

async function compare(words: readonly string[], rest: Parameters<typeof run>[1] = {}): Promise<Compared> {
  const folder = temporaryFolder();
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  const output = join(folder, 'out.json');
  const argv = [driftProgram, 'compare', '--matrix', matrixFile, '--output', output, ...words];
  const ended = await run(argv, { ...rest, env: { TMPDIR: temporary, ...rest.env } });
  const written = namesIn(folder).includes('out.json');
  return {
    ended,
    output: written ? (JSON.parse(readFileSync(output, 'utf8')) as Comparison) : null,
    left: namesIn(temporary).filter((name) => name.startsWith('drift')),
  };
}

describe('drift compare', () => {
  it('plays the structural evaluator offline, prints a table of 80 columns and leaves nothing behind', async () => {
    const { ended, output, left } = await compare([]);

    expect(ended.rc).toBe(0);
    expect(output).toMatchObject({
      execution: 'offline',
      evaluator: 'structural',
      question_version: 'structural_proof_v1',
    });
    expect(output?.aggregate.gold_rounds?.noul.real_flagged).toBe('0/4');
    expect(ended.out).toContain('fix_then_polish');
    expect(
      Math.max(
        ...ended.out
          .split('\n')
          .filter((line) => !line.includes('/tmp'))
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(80);
    expect(left).toEqual([]);
  });

  it.runIf(hasTerminal)('shows how far it is, on a terminal', async () => {
    const output = join(temporaryFolder(), 'out.json');
    const words = ['compare', '--matrix', matrixFile, '--output', output, '--responses', responses];

    const { rc, screen } = await onTerminal(words, { cwd: temporaryFolder(), exchanges: [] });

    expect(rc).toBe(0);
    expect(screen).toMatch(/compare \[#+\.+\] 0\/5 cases/);
    expect(screen).toMatch(/compare \[#{30}\] 5\/5 cases/);
  });

  it('prints one JSON document on demand', async () => {
    const { ended, output } = await compare(['--json', '--responses', responses]);

    expect(JSON.parse(ended.out)).toMatchObject({
      status: 'compared',
      execution: 'recorded_replay',
      aggregate: output?.aggregate,
    });
  });

  it('replays other thresholds over the same answers', async () => {
    const { output } = await compare(['--responses', responses, '--threshold', '0.5,0.9']);

    const [low, high] = output?.threshold_replay ?? [];
    expect(low?.aggregate.gold_rounds?.choice.cosmetic_flagged).toBe('6/7');
    expect(high?.aggregate.gold_rounds?.choice.cosmetic_flagged).toBe('4/7');
    expect(high?.label_probability_threshold).toBe(0.9);
    expect(output?.label_probability_threshold).toBe(0.6);
  });

  it('asks the recordings only about what is not proven, in a cascade', async () => {
    const { output } = await compare(['--responses', responses, '--evaluator', 'cascade']);

    const judges = new Set(output?.cases.flatMap(({ rounds }) => rounds.map(({ evaluator }) => evaluator)));
    expect(judges).toEqual(new Set(['structural', 'system-one', null]));
    expect(output?.model).toMatch(/^jev-1\.13\.0, structural-/);
  });

  it('names rounds without a recording and rounds with a bad one', async () => {
    const folder = join(temporaryFolder(), 'responses');
    cpSync(responses, folder, { recursive: true });
    const [first = '', second = '', ...others] = readdirSync(folder);
    renameSync(join(folder, first), join(folder, 'elsewhere.json'));
    copyFileSync(join(folder, others[0] ?? ''), join(folder, second));

    const { output } = await compare(['--responses', folder]);

    const reasons = output?.cases.flatMap(({ rounds }) => rounds.map(({ reason }) => reason));
    expect(reasons).toContain('no_recorded_response');
    expect(reasons).toContain('invalid_recorded_response');
  });

  it('replays recordings of other questions through a list of their requests', async () => {
    const folder = join(temporaryFolder(), 'responses');
    mkdirSync(folder);
    const key = 'd'.repeat(64);
    const [name = ''] = readdirSync(responses);
    const recording = { ...JSON.parse(readFileSync(join(responses, name), 'utf8')), request_key: key };
    writeFileSync(join(folder, `${key}.json`), JSON.stringify(recording));
    const list = {
      schema_version: 'drift_recorded_requests_v1',
      question_version: 'scoped-progress-sentinel-v2',
      cases: { rename_and_reword: [null, key, key] },
    };
    writeFileSync(join(folder, 'requests.json'), JSON.stringify(list));

    const { output } = await compare(['--responses', folder]);

    const [played] = output?.cases ?? [];
    expect(output?.question_version).toBe('scoped-progress-sentinel-v2');
    expect(played?.rounds.map(({ status, reason }) => reason ?? status)).toEqual([
      'no_recorded_response',
      'completed',
      'completed',
    ]);
  });

  it.each<[string, string[], string]>([
    ['a drift threshold of 1', ['--drift-threshold', '1'], 'usage'],
    ['a label threshold of 0.4', ['--threshold', '0.4'], 'usage'],
    ['a live run of nobody', ['--live', '--evaluator', 'structural'], 'usage'],
    ['a live run without a place for recordings', ['--live', '--evaluator', 'recorded'], 'usage'],
    ['recordings that are not there', ['--responses', '/nowhere/at/all'], 'file_missing'],
    ['a model that may move', ['--responses', responses, '--model', 'jev-latest'], 'config_invalid'],
    [
      'plain http to elsewhere',
      ['--responses', responses, '--base-url', 'http://example.com'],
      'config_invalid',
    ],
  ])('refuses %s', async (_name, words, reason) => {
    const { ended, output } = await compare(['--json', ...words]);

    expect(ended.rc).toBe(2);
    expect(JSON.parse(ended.out)).toMatchObject({ ok: false, error: { reason } });
    expect(output).toBeNull();
  });

  it('records nothing of an answer that is not JSON, and calls the round failed', async () => {
    const server = await serve({ kind: 'raw', body: '<html>busy</html>' }, {});
    const folder = join(temporaryFolder(), 'responses');

    const { output } = await compare(['--responses', folder, '--live', '--base-url', server.url]);

    expect(output?.aggregate.round_status_counts).toEqual({ failed: 12, no_delta: 1 });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('cleans up when it is interrupted, and writes no result', async () => {
    const server = await serve(async (body) => {
      await sleep(200);
      return answerFixture(body);
    }, {});
    const folder = join(temporaryFolder(), 'responses');

    const { ended, output, left } = await compare(
      ['--responses', folder, '--live', '--base-url', server.url],
      {
        onStart: (child) => {
          const timer = setInterval(() => {
            if (server.seen.length === 0) return;
            clearInterval(timer);
            child.kill('SIGINT');
          }, 20);
        },
      },
    );

    expect(ended).toMatchObject({ rc: 2, err: expect.stringContaining('interrupted') });
    expect(output).toBeNull();
    expect(left).toEqual([]);
    expect(server.seen.length).toBeLessThan(12);
  });
});

import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Comparison } from '../../src/compare/comparison.ts';
import { expectedSummaryVersion } from '../../src/contract/comparison.ts';
import { serve } from '../support/remote.ts';
import { driftProgram, run, temporaryFolder } from '../support/rig.ts';
import { answerFixture } from '../support/scripted-opinions.ts';

const fixture = fileURLToPath(new URL('../../fixtures/compare/', import.meta.url));
const summaryFile = join(fixture, 'expected-summary.json');
const updating = process.env['DRIFT_UPDATE_FIXTURES'] === '1';

async function compare(...words: string[]): Promise<Comparison> {
  const output = join(temporaryFolder(), 'out.json');
  const argv = [
    driftProgram,
    'compare',
    '--matrix',
    join(fixture, 'matrix.json'),
    '--output',
    output,
    ...words,
  ];
  const ended = await run(argv);
  if (ended.rc !== 0) throw new Error(ended.err);
  return JSON.parse(readFileSync(output, 'utf8')) as Comparison;
}

/** The recordings of a folder without what differs from run to run. */
const recordingsIn = (folder: string): unknown[] =>
  readdirSync(folder)
    .toSorted()
    .map((name) => [
      name,
      { ...JSON.parse(readFileSync(join(folder, name), 'utf8')), recorded_at: '', worker_timing_ns: 0 },
    ]);

const summaryOf = ({
  matrix_digest,
  model,
  question_version,
  aggregate,
  deterministic_view,
}: Comparison): object => ({
  schema_version: expectedSummaryVersion,
  matrix_digest,
  model,
  question_version,
  deterministic_view,
  current_replay: {
    signals: aggregate.signals,
    gold_rounds: aggregate.gold_rounds,
    round_status_counts: aggregate.round_status_counts,
  },
});

describe('the matrix of this project', () => {
  it('is recorded as the fake server answers it', async () => {
    const server = await serve(answerFixture, {});
    const folder = join(temporaryFolder(), 'responses');

    const live = await compare('--responses', folder, '--live', '--base-url', server.url);
    if (updating) cpSync(folder, join(fixture, 'responses'), { recursive: true });

    expect(live).toMatchObject({
      execution: 'live_provider_recording',
      evaluator: 'recorded',
      authority: 'none',
    });
    expect(server.seen).toHaveLength(12);
    expect(recordingsIn(folder)).toEqual(recordingsIn(join(fixture, 'responses')));
  });

  it('replays to its committed summary', async () => {
    const replay = await compare('--responses', join(fixture, 'responses'));
    if (updating) writeFileSync(summaryFile, `${JSON.stringify(summaryOf(replay), null, 1)}\n`);

    expect(replay.execution).toBe('recorded_replay');
    expect(summaryOf(replay)).toEqual(JSON.parse(readFileSync(summaryFile, 'utf8')));
  });
});

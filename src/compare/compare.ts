import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { comparisonVersion } from '../contract/comparison.ts';
import type { Config } from '../contract/config.ts';
import type { Failure } from '../contract/failure.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import type { SystemOneOptions } from '../evaluate/system-one/options.ts';
import { type Aggregate, aggregateScores } from './aggregate-scores.ts';
import type { AnswerSource } from './case-judge.ts';
import { type LoadedCase, type LoadedMatrix, loadMatrix } from './load-matrix.ts';
import { type PlayRequest, playCase } from './play-case.ts';
import type { PlayedCase } from './played-case.ts';
import { readRecordedRequests } from './recordings.ts';
import { type CaseScore, scoreCase } from './score-case.ts';

/** Cases at once: a refresh is a process of its own, and two keep two cores busy. */
const casesAtOnce = 2;

export interface CompareRequest extends Pick<PlayRequest, 'env' | 'now' | 'clock' | 'signal'> {
  readonly matrixFile: string;
  readonly evaluator: 'structural' | 'recorded' | 'cascade';
  /** Folder of recordings: read, or written where `live`. */
  readonly responses: string | null;
  /** Ask the endpoint and record what it says. */
  readonly live: boolean;
  readonly systemOne: SystemOneOptions;
  /** Adjacent drift verdicts that raise an obligation, 2–20. */
  readonly driftThreshold: number;
  /** More label thresholds, to be replayed over the same answers. */
  readonly labelThresholds: readonly number[];
  readonly onProgress: (rounds: number, of: number) => void;
}

/** The result of a comparison, `loopx_jev_sentinel_comparison_v0` with what is ours beside it. */
export interface Comparison {
  readonly schema_version: typeof comparisonVersion;
  readonly matrix_digest: string;
  readonly evaluator: CompareRequest['evaluator'];
  readonly model: string;
  readonly label_probability_threshold: number;
  readonly execution: 'offline' | 'recorded_replay' | 'live_provider_recording';
  /** ISO 8601, UTC. */
  readonly started_at: string;
  readonly elapsed_seconds: number;
  readonly authority: 'none';
  readonly aggregate: Aggregate;
  readonly cases: readonly CaseScore[];
  readonly threshold_replay?: readonly ThresholdReplay[];
}

interface ThresholdReplay {
  readonly label_probability_threshold: number;
  readonly aggregate: Aggregate;
  readonly cases: readonly Pick<
    CaseScore,
    'case_id' | 'first_flag_round' | 'first_obligation_round' | 'false_flag_rounds'
  >[];
}

/**
 * Plays every case of a matrix on the real path and scores what came out. Everything that is made lies in one temporary
 * folder, gone at the end whatever happens.
 *
 * Reasons: those of {@link loadMatrix}, `recording_invalid`, `usage`, and those of making an observer.
 */
export async function compare(request: CompareRequest): Promise<Result<Comparison, Failure>> {
  const startedAt = request.now();
  const start = request.clock();
  const matrix = loadMatrix(request.matrixFile);
  if (!matrix.ok) return matrix;
  const source = answerSource(request);
  if (!source.ok) return source;
  const played = await playAll(matrix.value, source.value, request);
  if (!played.ok) return played;
  const scored = scoreAll(played.value, request.driftThreshold);
  return ok({
    schema_version: comparisonVersion,
    matrix_digest: matrix.value.digest,
    evaluator: request.evaluator,
    model: request.evaluator === 'structural' ? 'structural' : request.systemOne.model,
    label_probability_threshold: matrix.value.matrix.label_probability_threshold,
    execution: executionOf(source.value),
    started_at: new Date(startedAt).toISOString(),
    elapsed_seconds: Math.round(request.clock() - start) / 1_000,
    authority: 'none',
    ...scored,
    ...(request.labelThresholds.length === 0
      ? {}
      : {
          threshold_replay: request.labelThresholds.map((t) =>
            replayAt(played.value, t, request.driftThreshold),
          ),
        }),
  });
}

function answerSource({ evaluator, responses, live }: CompareRequest): Result<AnswerSource, Failure> {
  if (evaluator === 'structural') return ok({ kind: 'none' });
  if (responses === null)
    return fail({
      reason: 'usage',
      field: 'responses',
      detail: 'name the folder of recorded responses with --responses',
    });
  if (live) {
    mkdirSync(responses, { recursive: true });
    return ok({ kind: 'live', folder: responses });
  }
  const requests = readRecordedRequests(responses);
  return requests.ok ? ok({ kind: 'recorded', folder: responses, requests: requests.value }) : requests;
}

const executionOf = ({ kind }: AnswerSource): Comparison['execution'] =>
  kind === 'none' ? 'offline' : kind === 'live' ? 'live_provider_recording' : 'recorded_replay';

async function playAll(
  { matrix, cases }: LoadedMatrix,
  source: AnswerSource,
  request: CompareRequest,
): Promise<Result<readonly PlayedCase[], Failure>> {
  const root = mkdtempSync(join(tmpdir(), 'drift-compare-'));
  const total = cases.reduce((sum, { rounds }) => sum + rounds.length, 0);
  let rounds = 0;
  const onRound = (): void => request.onProgress(++rounds, total);
  const config = configOf(request, matrix.label_probability_threshold);
  const play = async (loaded: LoadedCase): Promise<Result<PlayedCase, Failure>> => {
    const folder = join(root, loaded.definition.case_id);
    const played = await playCase(loaded, { ...request, folder, config, source, onRound });
    rmSync(folder, { recursive: true, force: true });
    return played;
  };
  try {
    return await inLanes(cases, casesAtOnce, request.signal, play);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Asking for a live run is the permission to send. */
function configOf({ evaluator, live, systemOne }: CompareRequest, labelThreshold: number): Partial<Config> {
  return {
    evaluator: evaluator === 'recorded' ? 'system-one' : evaluator,
    minimum_label_probability: labelThreshold,
    ...(evaluator === 'structural' ? {} : { system_one: { ...systemOne, allow_egress: live } }),
  };
}

/** Runs `play` over all cases, a few at once, and stops at the first failure or when interrupted. */
async function inLanes(
  cases: readonly LoadedCase[],
  lanes: number,
  signal: AbortSignal,
  play: (loaded: LoadedCase) => Promise<Result<PlayedCase, Failure>>,
): Promise<Result<readonly PlayedCase[], Failure>> {
  const results: Result<PlayedCase, Failure>[] = [];
  const queue = [...cases.entries()];
  const lane = async (): Promise<void> => {
    for (let next = queue.shift(); next && !signal.aborted; next = queue.shift()) {
      const result = await play(next[1]);
      results[next[0]] = result;
      if (!result.ok) queue.length = 0;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const failure = results.find((result) => result !== undefined && !result.ok);
  if (failure && !failure.ok) return failure;
  if (signal.aborted) return fail({ reason: 'usage', detail: 'interrupted; nothing was written' });
  return ok(results.flatMap((result) => (result.ok ? [result.value] : [])));
}

function scoreAll(
  played: readonly PlayedCase[],
  driftThreshold: number,
): { aggregate: Aggregate; cases: CaseScore[] } {
  const cases = played.map((each) => scoreCase(each, driftThreshold));
  return { aggregate: aggregateScores(cases, driftThreshold), cases };
}

function replayAt(
  played: readonly PlayedCase[],
  labelThreshold: number,
  driftThreshold: number,
): ThresholdReplay {
  const { aggregate, cases } = scoreAll(
    played.map(({ atThreshold }) => atThreshold(labelThreshold)),
    driftThreshold,
  );
  return {
    label_probability_threshold: labelThreshold,
    aggregate,
    cases: cases.map(({ case_id, first_flag_round, first_obligation_round, false_flag_rounds }) => ({
      case_id,
      first_flag_round,
      first_obligation_round,
      false_flag_rounds,
    })),
  };
}

import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../contract/config.ts';
import type { Failure } from '../contract/failure.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import type { SystemOneOptions } from '../evaluate/system-one/options.ts';
import { errorCode } from '../spool/spool-io.ts';
import type { AnswerSource } from './case-judge.ts';
import { buildComparison, type Comparison, type ScoringTerms } from './comparison.ts';
import { type LoadedCase, type LoadedMatrix, loadMatrix } from './load-matrix.ts';
import { type PlayRequest, playCase } from './play-case.ts';
import type { PlayedCase } from './played-case.ts';
import { readRecordedRequests } from './recordings.ts';

/** Cases at once: a refresh is a process that mostly waits for the disk. */
const casesAtOnce = 4;
/** Milliseconds for a file, the most that can be configured: a result must not depend on how busy the machine is. */
const fileBudgetMs = 10_000;

export interface CompareRequest extends Pick<PlayRequest, 'env' | 'now' | 'clock' | 'signal'>, ScoringTerms {
  readonly matrixFile: string;
  readonly evaluator: Comparison['evaluator'];
  /** Folder of recordings: read, or written where `live`. */
  readonly responses: string | null;
  /** Ask the endpoint and record what it says. */
  readonly live: boolean;
  readonly systemOne: SystemOneOptions;
  readonly onProgress: (progress: Progress) => void;
}

export interface Progress {
  /** Between 0 and 1. */
  readonly share: number;
  readonly casesDone: number;
  readonly cases: number;
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
  const frame = {
    matrix_digest: matrix.value.digest,
    evaluator: request.evaluator,
    label_probability_threshold: matrix.value.matrix.label_probability_threshold,
    execution: executionOf(source.value),
    started_at: new Date(startedAt).toISOString(),
    elapsed_seconds: Math.round(request.clock() - start) / 1_000,
  };
  return ok(buildComparison(frame, played.value, request));
}

function answerSource({ evaluator, responses, live }: CompareRequest): Result<AnswerSource, Failure> {
  if (evaluator === 'structural') return ok({ kind: 'none' });
  if (responses === null)
    return fail({
      reason: 'usage',
      field: 'responses',
      detail: 'name the folder of recorded responses with --responses',
    });
  const folder = live ? makeFolder(responses) : findFolder(responses);
  if (!folder.ok) return folder;
  if (live) return ok({ kind: 'live', folder: responses });
  const requests = readRecordedRequests(responses);
  return requests.ok ? ok({ kind: 'recorded', folder: responses, requests: requests.value }) : requests;
}

function findFolder(folder: string): Result<null, Failure> {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory()
    ? ok(null)
    : fail({ reason: 'file_missing', file: folder, field: 'responses' });
}

function makeFolder(folder: string): Result<null, Failure> {
  try {
    mkdirSync(folder, { recursive: true });
    return ok(null);
  } catch (error) {
    return fail({ reason: 'write_failed', file: folder, field: 'responses', detail: errorCode(error) ?? '' });
  }
}

const executionOf = ({ kind }: AnswerSource): Comparison['execution'] =>
  kind === 'none' ? 'offline' : kind === 'live' ? 'live_provider_recording' : 'recorded_replay';

async function playAll(
  { matrix, cases }: LoadedMatrix,
  source: AnswerSource,
  request: CompareRequest,
): Promise<Result<readonly PlayedCase[], Failure>> {
  const root = mkdtempSync(join(tmpdir(), 'drift-compare-'));
  const progress = createProgress(cases, request.onProgress);
  const config = configOf(request, matrix.label_probability_threshold);
  const inTurn = createTurns();
  const play = async (loaded: LoadedCase): Promise<Result<PlayedCase, Failure>> => {
    const folder = join(root, loaded.definition.case_id);
    const played = await playCase(loaded, {
      ...request,
      folder,
      config,
      source,
      inTurn,
      onStep: progress.step,
    });
    progress.finish(loaded);
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
    structural: { constant_tests: true, restated_evidence: false, file_budget_ms: fileBudgetMs },
    minimum_label_probability: labelThreshold,
    ...(evaluator === 'structural' ? {} : { system_one: { ...systemOne, allow_egress: live } }),
  };
}

/** Each round is two steps, played and judged; what capture itself decided is caught up when its case ends. */
function createProgress(cases: readonly LoadedCase[], report: CompareRequest['onProgress']) {
  const stepsOf = ({ rounds }: LoadedCase): number => 2 * rounds.length;
  const total = cases.reduce((sum, each) => sum + stepsOf(each), 0);
  let [steps, finished, casesDone] = [0, 0, 0];
  const tell = (): void =>
    report({ share: Math.min(1, Math.max(steps, finished) / total), casesDone, cases: cases.length });
  return {
    step: (): void => {
      steps += 1;
      tell();
    },
    finish: (done: LoadedCase): void => {
      finished += stepsOf(done);
      casesDone += 1;
      tell();
    },
  };
}

/** Steps given to it run one at a time, in the order in which they were given. */
function createTurns(): PlayRequest['inTurn'] {
  let last: Promise<unknown> = Promise.resolve();
  return (step) => {
    const turn = last.then(step);
    last = turn.catch(() => undefined);
    return turn;
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

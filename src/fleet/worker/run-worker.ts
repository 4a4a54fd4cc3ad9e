import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Runner, RunnerOptions } from 'graphile-worker';
import type { Pool } from 'pg';
import type { Failure } from '../../contract/failure.ts';
import { ok, type Result } from '../../contract/result.ts';
import { connect } from '../database/connect.ts';
import { databaseFailure, guardDatabase } from '../database/database-failure.ts';
import { loadGraphile } from '../database/load-package.ts';
import type { UrlSource } from '../database/read-url.ts';
import { jobSchema } from '../schema/migrations.ts';
import { ContentStore } from './content-store.ts';
import { ContractStore } from './contract-store.ts';
import { type GoalBench, judgeGoal } from './judge-goal.ts';
import { quietLogger } from './quiet-logger.ts';
import type { WorkerMeans } from './worker-evaluator.ts';

const POLL_MS = 2_000;
const MAX_PAUSE_MS = 30_000;
const FORGET_EVERY_MS = 3_600_000;

export interface WorkerRequest extends UrlSource {
  readonly means: WorkerMeans;
  /** Goals judged at the same time. */
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly sweepMs: number;
  /** Judge what there is, then end. */
  readonly once: boolean;
  /** Aborted: finish the events in hand and end. */
  readonly signal: AbortSignal;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  /** Called when the worker listens. */
  readonly onReady: () => void;
  /** Called when a sweep or a turn failed; the next one goes on. */
  readonly onTrouble: (failure: Failure) => void;
}

export interface WorkerOutcome {
  readonly status: 'stopped' | 'done';
  readonly finished: number;
  readonly fenced: number;
}

type Engine = typeof import('graphile-worker');

/**
 * Judges the fleet's events on this machine until it is told to stop (design §10). Any number of workers may run; which
 * one judges an event makes no difference. Reasons: package_missing, those of the database.
 */
export async function runWorker(request: WorkerRequest): Promise<Result<WorkerOutcome, Failure>> {
  const engine = await loadGraphile();
  if (!engine.ok) return engine;
  const { concurrency } = request;
  const connected = await connect({ ...request, name: 'drift worker', maxConnections: 2 * concurrency + 3 });
  if (!connected.ok) return connected;
  const worker = new FleetWorker(request, connected.value, engine.value);
  try {
    return await guardDatabase(() => (request.once ? worker.runOnce() : worker.run()));
  } finally {
    await connected.value.end();
  }
}

class FleetWorker {
  private finished = 0;
  private fenced = 0;
  /** An error of our own; it ends the worker, where the engine would only try the job again. */
  private bug: { readonly error: unknown } | null = null;
  private readonly request: WorkerRequest;
  private readonly pool: Pool;
  private readonly engine: Engine;
  private readonly bench: GoalBench;

  constructor(request: WorkerRequest, pool: Pool, engine: Engine) {
    const { means, leaseMs, clock, signal } = request;
    this.request = request;
    this.pool = pool;
    this.engine = engine;
    this.bench = {
      pool,
      means,
      leaseMs,
      clock,
      content: new ContentStore(pool),
      contracts: new ContractStore(pool),
      holder: `${hostname()}/${process.pid}/${randomBytes(4).toString('hex')}`,
      shouldStop: () => signal.aborted,
    };
  }

  async runOnce(): Promise<Result<WorkerOutcome, Failure>> {
    await this.sweep();
    await this.engine.runOnce(this.options());
    if (this.bug) throw this.bug.error;
    return ok({ status: 'done', finished: this.finished, fenced: this.fenced });
  }

  async run(): Promise<Result<WorkerOutcome, Failure>> {
    const stray = (error: unknown): void => void this.report(error);
    process.on('unhandledRejection', stray);
    try {
      const first = await this.engine.run(this.options());
      this.request.onReady();
      await this.keepRunning(first);
    } finally {
      process.off('unhandledRejection', stray);
    }
    if (this.bug) throw this.bug.error;
    return ok({ status: 'stopped', finished: this.finished, fenced: this.fenced });
  }

  /** The engine gives up when it cannot store the end of a job; it is started again until the worker is told to stop. */
  private async keepRunning(first: Runner): Promise<void> {
    const sweeping = this.keepSweeping();
    for (let runner: Runner | null = first; runner !== null; ) {
      const ended = runner.promise.catch((error: unknown) => void this.report(error));
      await Promise.race([sweeping, ended]);
      if (this.isOver()) await runner.stop().catch(() => undefined);
      await ended;
      runner = await this.startAgain();
    }
    await sweeping;
  }

  private async startAgain(): Promise<Runner | null> {
    const { signal } = this.request;
    for (let pauseMs = POLL_MS; !this.isOver(); pauseMs = Math.min(MAX_PAUSE_MS, 2 * pauseMs)) {
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      if (this.isOver()) break;
      try {
        return await this.engine.run(this.options());
      } catch (error) {
        this.report(error);
      }
    }
    return null;
  }

  private isOver(): boolean {
    return this.request.signal.aborted || this.bug !== null;
  }

  /** What the database does is told; anything else is a bug and ends the worker. */
  private report(error: unknown): Failure | null {
    const failure = databaseFailure(error);
    if (failure) this.request.onTrouble(failure);
    else this.bug = { error };
    return failure;
  }

  /**
   * With a batch delay, and only then, the engine waits for the end of a job to be stored: before it stops, and instead of
   * leaving a rejection that nobody handles.
   */
  private options(): RunnerOptions {
    return {
      pgPool: this.pool,
      schema: jobSchema,
      concurrency: this.request.concurrency,
      pollInterval: POLL_MS,
      noHandleSignals: true,
      parsedCronItems: [],
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      logger: quietLogger(this.engine),
      taskList: { drift_goal: (payload) => this.judge(payload) },
    };
  }

  /** The engine keeps the message of a failed job, so nothing but a code may stand in it. */
  private async judge(payload: unknown): Promise<void> {
    const { goal } = payload as { goal: string };
    try {
      const { finished, fenced } = await judgeGoal(this.bench, goal);
      this.finished += finished;
      this.fenced += Number(fenced);
    } catch (error) {
      const failure = this.report(error);
      throw new Error(failure ? `${failure.reason} ${failure.detail ?? ''}` : 'bug');
    }
  }

  private async keepSweeping(): Promise<void> {
    const { signal, sweepMs, clock, onTrouble } = this.request;
    for (let forgotAt = Number.NEGATIVE_INFINITY; !this.isOver(); ) {
      const forgets = clock() - forgotAt >= FORGET_EVERY_MS;
      const swept = await guardDatabase(async () => {
        await this.sweep();
        if (forgets) await this.pool.query('SELECT drift_fleet.forget()');
        return ok(null);
      });
      if (!swept.ok) onTrouble(swept.failure);
      else if (forgets) forgotAt = clock();
      await sleep(sweepMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async sweep(): Promise<void> {
    await this.pool.query('SELECT drift_fleet.sweep($1, $2)', [this.bench.holder, hostname()]);
  }
}

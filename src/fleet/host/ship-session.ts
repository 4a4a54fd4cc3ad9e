import { hostname } from 'node:os';
import type { Pool } from 'pg';
import type { Failure } from '../../contract/failure.ts';
import type { EventSummary } from '../../contract/judged-event.ts';
import { fail, ok, type Result } from '../../contract/result.ts';
import { readDrainMode } from '../../drain/drain-mode.ts';
import type { DrainRequest } from '../../drain/run-drain.ts';
import type { JudgedClaim } from '../../goal/judge-recorded-claims.ts';
import type { LoadedObserver } from '../../observer/load-observer.ts';
import type { DrainLock } from '../../spool/drain-lock.ts';
import { nodeIo } from '../../spool/spool-io.ts';
import { connect } from '../database/connect.ts';
import { guardDatabase } from '../database/database-failure.ts';
import { defaultUrlVariable } from '../database/read-url.ts';
import type { SpoolNotice } from './agree-on-spool.ts';
import { type ShipPassResult, shipPass } from './ship-pass.ts';

/** A pass that finds the ground moved is begun again at once, but not for ever. */
const MAX_RESTARTS = 8;

export interface SessionRequest
  extends Pick<DrainRequest, 'loaded' | 'reload' | 'env' | 'now' | 'clock' | 'signal' | 'onEvent'> {
  readonly onNotice: (notice: SpoolNotice) => void;
}

/** What has been done so far, and what the last pass left. */
export interface Progress {
  readonly shipped: number;
  readonly received: readonly EventSummary[];
  readonly claims: readonly JudgedClaim[];
  readonly unshipped: number;
  readonly awaiting: number;
}

export const noProgress: Progress = { shipped: 0, received: [], claims: [], unshipped: 0, awaiting: 0 };

/** One observer's exchange with the database over several passes. A connection is made when it is first needed. */
export class ShipSession {
  private readonly request: SessionRequest;
  private readonly lock: DrainLock;
  private loaded: LoadedObserver;
  private pool: Pool | null = null;
  progress: Progress = noProgress;

  constructor(request: SessionRequest, lock: DrainLock) {
    this.request = request;
    this.lock = lock;
    this.loaded = request.loaded;
  }

  /** Passes until one ends on the ground it began on. `off`: the observer has been switched off meanwhile. */
  exchange(): Promise<Result<'shipped' | 'off', Failure>> {
    return guardDatabase(async () => {
      for (let restarts = 0; ; restarts += 1) {
        const result = await this.pass();
        if (!result.ok) return result;
        this.note(result.value);
        const { outdated, refusal } = result.value;
        if (refusal) return fail(refusal);
        if (!outdated || this.request.signal.aborted || restarts >= MAX_RESTARTS) return ok('shipped');
        const reloaded = this.request.reload();
        if (!reloaded.ok) return reloaded;
        this.loaded = reloaded.value;
        if (this.loaded.config.mode === 'off') return ok('off');
      }
    });
  }

  async close(): Promise<void> {
    await this.pool?.end().catch(() => undefined);
    this.pool = null;
  }

  private async pass(): Promise<Result<ShipPassResult, Failure>> {
    const { loaded, lock, request } = this;
    const mode = readDrainMode(loaded.layout);
    if (!mode.ok) return mode;
    if (mode.value.mode === 'local')
      return fail({ reason: 'drain_mode_local', file: loaded.layout.drainMode });
    const opened = await this.open();
    if (!opened.ok) return opened;
    const { env, now, clock, onEvent, onNotice, signal } = request;
    const host = loaded.config.fleet?.host_name ?? hostname();
    const here = { io: nodeIo, pool: opened.value, loaded, mode: mode.value, host, lock };
    return ok(
      await shipPass({ ...here, env, now, clock, onEvent, onNotice, shouldStop: () => signal.aborted }),
    );
  }

  private async open(): Promise<Result<Pool, Failure>> {
    if (this.pool !== null) return ok(this.pool);
    const variable = this.loaded.config.fleet?.database_url_env ?? defaultUrlVariable;
    const opened = await connect({ env: this.request.env, variable, name: 'drift drain', maxConnections: 1 });
    if (opened.ok) this.pool = opened.value;
    return opened;
  }

  private note({ shipped, received, claims, unshipped, awaiting }: ShipPassResult): void {
    const before = this.progress;
    this.progress = {
      shipped: before.shipped + shipped,
      received: [...before.received, ...received],
      claims: [...before.claims, ...claims],
      unshipped,
      awaiting,
    };
  }
}

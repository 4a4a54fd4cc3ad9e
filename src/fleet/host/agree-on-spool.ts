import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { drainModeSchemaVersion, type ShippedMode } from '../../contract/drain-mode.ts';
import { writeDrainMode } from '../../drain/drain-mode.ts';
import type { LoadedObserver } from '../../observer/load-observer.ts';
import type { SpoolIo } from '../../spool/spool-io.ts';
import { findTail } from '../../spool/tail.ts';
import { statedDigest } from './spool-digest.ts';
import { termsOf } from './terms.ts';

/** What the host has to tell its owner about the two sides. */
export type SpoolNotice =
  /** The spool lacks or contradicts entries that were stored: it was restored from a backup, or copied. */
  | { readonly notice: 'spool_restored'; readonly agreed_through: number; readonly stored_through: number }
  /** The database lacks entries that it had acknowledged: it was restored. They are sent again. */
  | {
      readonly notice: 'database_restored';
      readonly stored_through: number;
      readonly shipped_through: number;
    };

/** Where both sides stand before anything is sent. */
export interface Agreement {
  readonly mode: ShippedMode;
  /** The last entry that the database holds. */
  readonly storedThrough: number;
  readonly notice: SpoolNotice | null;
}

export interface Side {
  readonly io: SpoolIo;
  readonly loaded: LoadedObserver;
  /** The basis file as it is, whose digest is the contract revision. */
  readonly basisText: string;
  readonly host: string;
  /** The last entry that was acknowledged, by this host's own record. */
  readonly shippedThrough: number;
}

/**
 * Finds out how far the database has this spool, and whether it is this spool at all. A spool that was rolled back goes
 * on under a new id after the last entry that both sides agree on; nothing that is stored is lost or overwritten.
 */
export async function agreeOnSpool(pool: Pool, side: Side, mode: ShippedMode): Promise<Agreement> {
  const { io, loaded, shippedThrough } = side;
  const { layout } = loaded;
  const known = await hello(pool, side, mode);
  const { last_seq: stored } = known;
  const whole = stored <= findTail(io, layout);
  const same = stored < mode.first_sequence || statedDigest(io, layout, stored) === known.last_digest;
  if (whole && same) {
    const notice: SpoolNotice | null =
      stored < shippedThrough
        ? { notice: 'database_restored', stored_through: stored, shipped_through: shippedThrough }
        : null;
    return { mode, storedThrough: stored, notice };
  }
  const agreed = await lastAgreed(pool, side, { mode, stored });
  const successor: ShippedMode = {
    schema_version: drainModeSchemaVersion,
    mode: 'shipped',
    spool_id: randomBytes(16).toString('hex'),
    first_sequence: agreed + 1,
    predecessor: mode.spool_id,
  };
  writeDrainMode(io, loaded, successor);
  await hello(pool, side, successor);
  return {
    mode: successor,
    storedThrough: agreed,
    notice: { notice: 'spool_restored', agreed_through: agreed, stored_through: stored },
  };
}

interface Known {
  readonly last_seq: number;
  readonly last_digest: string | null;
}

async function hello(pool: Pool, { io, loaded, basisText, host }: Side, mode: ShippedMode): Promise<Known> {
  const { observer, layout } = loaded;
  const { rows } = await pool.query<{ last_seq: string; last_digest: string | null }>(
    'SELECT last_seq, last_digest FROM drift_fleet.hello($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    [
      mode.spool_id,
      observer.goal_id,
      observer.observer_id,
      host,
      mode.first_sequence,
      statedDigest(io, layout, mode.first_sequence - 1),
      mode.predecessor,
      basisText,
      termsOf(loaded.config).text,
    ],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('hello gave no row back');
  return { last_seq: Number(row.last_seq), last_digest: row.last_digest };
}

/** The chain of digests makes agreement a matter of "up to here", so halving finds its end. */
async function lastAgreed(
  pool: Pool,
  { io, loaded: { layout } }: Side,
  { mode, stored }: { readonly mode: ShippedMode; readonly stored: number },
): Promise<number> {
  let low = mode.first_sequence - 1;
  let high = Math.min(stored, findTail(io, layout)) + 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const { rows } = await pool.query<{ digest: string | null }>(
      'SELECT drift_fleet.stored_digest($1, $2) AS digest',
      [mode.spool_id, middle],
    );
    if (rows[0]?.digest === statedDigest(io, layout, middle)) low = middle;
    else high = middle;
  }
  return low;
}

import type { Pool, PoolClient } from 'pg';
import type { LoadedObserver } from '../../observer/load-observer.ts';
import type { SpoolIo } from '../../spool/spool-io.ts';
import { inTransaction } from '../database/connect.ts';
import type { NeededText } from '../needed-texts.ts';
import { type Batch, readTexts, type Shipment } from './batch.ts';
import { termsOf } from './terms.ts';

const MAX_TEXT_BYTES_AT_ONCE = 8_388_608;

interface Destination {
  readonly io: SpoolIo;
  readonly loaded: LoadedObserver;
  readonly spoolId: string;
}

/** `moved`: the database holds another state of this spool than was agreed on; nothing was stored. */
export type Pushed = 'stored' | 'moved';

/** Stores one batch, or nothing of it. Given back only after COMMIT; a batch that is there already changes nothing. */
export function pushBatch(pool: Pool, destination: Destination, batch: Batch): Promise<Pushed> {
  return inTransaction(pool, async (client) => {
    await sendTexts(client, destination, batch);
    const { outcome } = await pushShipments(client, destination, batch.shipments);
    const stored = outcome === 'stored';
    return { commit: stored, value: stored ? 'stored' : 'moved' };
  });
}

/** Texts go up once per goal, and their age starts anew: a day is added, so that "kept n days" is never less. */
async function sendTexts(
  client: PoolClient,
  { io, loaded, spoolId }: Destination,
  { texts }: Batch,
): Promise<void> {
  const keep = `${loaded.config.retain_evidence_days + 1} days`;
  const { rows } = await client.query<{ missing: string }>(
    'SELECT missing FROM drift_fleet.open_batch($1, $2, $3) AS missing',
    [spoolId, [...texts.keys()], keep],
  );
  const missing = rows.flatMap(({ missing: digest }) => texts.get(digest) ?? []);
  for (const part of inParts(missing))
    await client.query('SELECT drift_fleet.put_texts($1, $2, $3)', [
      spoolId,
      readTexts(io, loaded, part),
      keep,
    ]);
}

function inParts(texts: readonly NeededText[]): NeededText[][] {
  const parts: NeededText[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const text of texts) {
    bytes += text.size;
    if (bytes > MAX_TEXT_BYTES_AT_ONCE) {
      parts.push([]);
      bytes = text.size;
    }
    parts.at(-1)?.push(text);
  }
  return parts;
}

async function pushShipments(
  client: PoolClient,
  { loaded, spoolId }: Destination,
  shipments: readonly Shipment[],
): Promise<{ readonly outcome: string }> {
  const column = <K extends keyof Shipment>(key: K): Shipment[K][] =>
    shipments.map((shipment) => shipment[key]);
  const { rows } = await client.query<{ outcome: string }>(
    'SELECT outcome FROM drift_fleet.push($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
    [
      spoolId,
      termsOf(loaded.config).digest,
      column('sequence'),
      column('eventId'),
      column('digest'),
      column('prev'),
      column('status'),
      column('stale'),
      column('head'),
      column('capturedAt'),
    ],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('push gave no row back');
  return row;
}

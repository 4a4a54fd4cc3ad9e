import type { Pool } from 'pg';
import type { DriftEvent } from '../../contract/event.ts';
import { sha256 } from '../../spool/lazy-crypto.ts';
import { neededTexts } from '../needed-texts.ts';

const MAX_CACHED_BYTES = 67_108_864;
const MAX_AHEAD_BYTES = 16_777_216;

/** The texts of events, fetched once while they stay in use; an unchanged file is not fetched for every event. */
export class ContentStore {
  private readonly pool: Pool;
  private readonly texts = new Map<string, Buffer>();
  private bytes = 0;

  constructor(pool: Pool) {
    this.pool = pool;
  }

  /** Fetches what the next events will ask for, in one question instead of one each. */
  async fetchAhead(goal: string, events: readonly DriftEvent[]): Promise<void> {
    const missing = new Set<string>();
    let bytes = 0;
    for (const { sha256: digest, size } of events.flatMap(neededTexts)) {
      if (missing.has(digest) || this.texts.has(keyOf(goal, digest))) continue;
      bytes += size;
      if (bytes > MAX_AHEAD_BYTES) break;
      missing.add(digest);
    }
    if (missing.size > 0) await this.fetch(goal, [...missing]);
  }

  /** Every text of an event that is there, by digest. */
  async textsOf(goal: string, event: DriftEvent): Promise<ReadonlyMap<string, Buffer>> {
    const wanted = [...new Set(neededTexts(event).map((text) => text.sha256))];
    const found = new Map<string, Buffer>();
    for (const digest of wanted) {
      const known = this.texts.get(keyOf(goal, digest));
      if (known) found.set(digest, known);
    }
    const missing = wanted.filter((digest) => !found.has(digest));
    if (missing.length > 0)
      for (const [digest, bytes] of await this.fetch(goal, missing)) found.set(digest, bytes);
    return found;
  }

  private async fetch(goal: string, digests: readonly string[]): Promise<[string, Buffer][]> {
    const { rows } = await this.pool.query<{ sha256: string; bytes: Buffer }>(
      'SELECT sha256, bytes FROM drift_fleet.content WHERE goal_id = $1 AND sha256 = ANY ($2)',
      [goal, digests],
    );
    const whole = rows.filter((row) => sha256(row.bytes) === row.sha256);
    for (const row of whole) this.keep(keyOf(goal, row.sha256), row.bytes);
    return whole.map((row) => [row.sha256, row.bytes]);
  }

  private keep(key: string, bytes: Buffer): void {
    if (this.bytes + bytes.length > MAX_CACHED_BYTES) {
      this.texts.clear();
      this.bytes = 0;
    }
    this.bytes += bytes.length;
    this.texts.set(key, bytes);
  }
}

/** Texts of one goal say nothing about another's. */
const keyOf = (goal: string, digest: string): string => `${digest} ${goal}`;

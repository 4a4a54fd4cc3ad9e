import type { Pool } from 'pg';
import { type Basis, basisSchema } from '../../contract/basis.ts';
import { type FleetTerms, fleetTermsSchema } from '../../contract/fleet-terms.ts';
import { parseStrictJson } from '../../json/strict-json.ts';

const MAX_KEPT = 1_000;

/** Bases and terms by digest. What a digest names never changes, so each is fetched once. */
export class ContractStore {
  private readonly pool: Pool;
  private readonly bases = new Map<string, Basis>();
  private readonly terms = new Map<string, FleetTerms>();

  constructor(pool: Pool) {
    this.pool = pool;
  }

  /** Null: it is not there, or not a basis of this version. */
  async basis(revision: string): Promise<Basis | null> {
    const query = 'SELECT bytes FROM drift_fleet.basis WHERE revision = $1';
    return this.look(this.bases, {
      digest: revision,
      query,
      read: (value) => basisSchema.safeParse(value).data,
    });
  }

  /** Null: they are not there, or written by a version that knows more. */
  async termsOf(digest: string): Promise<FleetTerms | null> {
    const query = 'SELECT bytes FROM drift_fleet.terms WHERE digest = $1';
    return this.look(this.terms, { digest, query, read: (value) => fleetTermsSchema.safeParse(value).data });
  }

  private async look<T>(
    kept: Map<string, T>,
    ask: {
      readonly digest: string;
      readonly query: string;
      readonly read: (value: unknown) => T | undefined;
    },
  ): Promise<T | null> {
    const known = kept.get(ask.digest);
    if (known !== undefined) return known;
    const { rows } = await this.pool.query<{ bytes: string }>(ask.query, [ask.digest]);
    const parsed = parseStrictJson(rows[0]?.bytes ?? '');
    const value = parsed.ok ? ask.read(parsed.value) : undefined;
    if (value === undefined) return null;
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(ask.digest, value);
    return value;
  }
}

import { readEvent } from '../../spool/read-event.ts';
import type { SpoolIo } from '../../spool/spool-io.ts';
import type { StateLayout } from '../../spool/state-layout.ts';

/** The digest by which two sides know an entry: what its first line states, even where the rest is damaged. */
export function statedDigest(io: SpoolIo, layout: StateLayout, sequence: number): string | null {
  const decoded = sequence < 0 ? null : readEvent(io, layout, sequence);
  if (decoded === null) return null;
  return decoded.ok ? decoded.stored.digest : decoded.statedDigest;
}

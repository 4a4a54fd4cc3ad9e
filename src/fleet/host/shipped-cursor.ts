import { readCursor, writeCursor } from '../../spool/cursor.ts';
import { removeQuietly } from '../../spool/durable-file.ts';
import type { SpoolIo } from '../../spool/spool-io.ts';
import type { StateLayout } from '../../spool/state-layout.ts';

/** The same two slots as drain's cursor, in a file of their own. */
const asCursor = (layout: StateLayout): StateLayout => ({ ...layout, cursor: layout.shipped });

/** The last entry that the database has acknowledged by this host's own record; -1 when there is none. */
export const readShippedCursor = (io: SpoolIo, layout: StateLayout): number =>
  readCursor(io, asCursor(layout)) ?? -1;

/** Moves the record, durably; called after COMMIT. */
export const advanceShippedCursor = (io: SpoolIo, layout: StateLayout, sequence: number): void =>
  writeCursor(io, asCursor(layout), sequence);

/** Sets the record back. The larger slot would win otherwise; a record that is missing costs nothing but a question. */
export function resetShippedCursor(io: SpoolIo, layout: StateLayout, sequence: number): void {
  removeQuietly(io, layout.shipped);
  advanceShippedCursor(io, layout, sequence);
}

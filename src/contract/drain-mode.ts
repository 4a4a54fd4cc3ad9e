import { z } from 'zod';

export const drainModeSchemaVersion = 'drift_mode_v1';

const spoolId = z.string().regex(/^[0-9a-f]{32}$/);

/** `<state>/mode`: who judges this observer's events, this machine or the fleet's workers, never both (design §10). */
export const drainModeSchema = z.discriminatedUnion('mode', [
  z.strictObject({ schema_version: z.literal(drainModeSchemaVersion), mode: z.literal('local') }),
  z.strictObject({
    schema_version: z.literal(drainModeSchemaVersion),
    mode: z.literal('shipped'),
    /** Random; names this spool in the fleet. A spool that was rolled back gets a new one. */
    spool_id: spoolId,
    /** The first entry that is shipped under this id. */
    first_sequence: z.number().int().min(0),
    /** The spool that held the entries before, where there was one. */
    predecessor: spoolId.nullable(),
  }),
]);

export type DrainMode = z.infer<typeof drainModeSchema>;
export type ShippedMode = Extract<DrainMode, { mode: 'shipped' }>;

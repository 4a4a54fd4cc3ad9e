import { type DrainMode, drainModeSchema, drainModeSchemaVersion } from '../contract/drain-mode.ts';
import type { Failure } from '../contract/failure.ts';
import { parseShape } from '../contract/parse.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { readJsonFile } from '../json/read-json-file.ts';
import { replaceFile } from '../spool/durable-file.ts';
import type { SpoolIo } from '../spool/spool-io.ts';
import type { StateLayout } from '../spool/state-layout.ts';

const MAX_MODE_BYTES = 4_096;

/**
 * Who judges this observer's events. No file means local; a file that cannot be understood means neither, so that no
 * event is judged twice. Reasons: those of a JSON file, state_unreadable.
 */
export function readDrainMode(layout: StateLayout): Result<DrainMode, Failure> {
  const read = readJsonFile(layout.drainMode, MAX_MODE_BYTES);
  if (read.ok)
    return parseShape(drainModeSchema, read.value.value, {
      file: layout.drainMode,
      reason: 'state_unreadable',
    });
  if (read.failure.reason !== 'file_missing') return fail(read.failure);
  return ok({ schema_version: drainModeSchemaVersion, mode: 'local' });
}

/** Writes the mode, durably; called with the drain lock held. */
export function writeDrainMode(
  io: SpoolIo,
  { state, layout }: { readonly state: string; readonly layout: StateLayout },
  mode: DrainMode,
): void {
  replaceFile(io, layout.drainMode, Buffer.from(`${JSON.stringify(mode)}\n`), {
    staging: layout.staging,
    folder: state,
  });
}

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Failure } from '../contract/failure.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { makePrivateFolder, syncFolder } from '../spool/durable-file.ts';
import { locateAnyState } from '../spool/locate-state.ts';
import { errorCode, nodeIo } from '../spool/spool-io.ts';
import { writeFileDurably } from './durable-file.ts';

interface Where {
  readonly stateDir?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/**
 * The state directory for what works without an observer (design §3), made where there is none: private, and with a
 * `.gitignore` that hides all of it. Fails with `write_failed`.
 */
export function openState(where: Where): Result<string, Failure> {
  const state = locateAnyState(where);
  if (existsSync(state)) return ok(state);
  try {
    makePrivateFolder(nodeIo, state);
    writeFileDurably({ state, folder: state, name: '.gitignore' }, '*\n');
    syncFolder(nodeIo, dirname(state));
    return ok(state);
  } catch (error) {
    return fail({ reason: 'write_failed', file: state, detail: errorCode(error) ?? String(error) });
  }
}

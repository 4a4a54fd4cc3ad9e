import type { Failure } from '../../contract/failure.ts';
import { fail, ok, type Result } from '../../contract/result.ts';

/** Loads the PostgreSQL client, which only fleets need. Reason: package_missing. */
export const loadPg = (): Promise<Result<typeof import('pg'), Failure>> =>
  loadOptional('pg', () => import('pg'));

/** Loads the job engine, which only workers and migrations need. Reason: package_missing. */
export const loadGraphile = (): Promise<Result<typeof import('graphile-worker'), Failure>> =>
  loadOptional('graphile-worker', () => fromTheRoot(() => import('graphile-worker')));

/** The engine looks for a configuration from the working directory upward, and would run one that it finds there. */
async function fromTheRoot<T>(load: () => Promise<T>): Promise<T> {
  const cwd = process.cwd();
  process.chdir('/');
  try {
    return await load();
  } finally {
    process.chdir(cwd);
  }
}

async function loadOptional<T>(name: string, load: () => Promise<T>): Promise<Result<T, Failure>> {
  try {
    return ok(await load());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return fail({ reason: 'package_missing', field: name });
  }
}

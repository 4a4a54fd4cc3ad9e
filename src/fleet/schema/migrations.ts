import { hostFunctions } from './host-functions.ts';
import { statusView } from './status-view.ts';
import { tables } from './tables.ts';
import { workerFunctions } from './worker-functions.ts';

/** One step of the schema. A breaking one stops older versions of drift; the others leave them working. */
interface Migration {
  readonly breaking: boolean;
  readonly sql: string;
}

/** Every step in order; number n is the n-th, counted from 1. A step that has been published is never changed. */
export const migrations: readonly Migration[] = [
  { breaking: true, sql: [tables, workerFunctions, hostFunctions, statusView].join('\n') },
];

/** The version that this code needs, and the newest breaking one that it knows. */
export const schemaVersion = migrations.length;
export const breakingVersion = migrations.findLastIndex(({ breaking }) => breaking) + 1;

/** The schema of the job engine, apart from any other use of it in the same database. */
export const jobSchema = 'drift_fleet_jobs';

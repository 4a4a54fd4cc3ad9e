import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Failure } from '../contract/failure.ts';
import type { GateReport } from '../contract/gate.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { errorCode } from '../spool/spool-io.ts';
import { digestFile } from './worktree-digest.ts';

/** sha256 by path of the files that a verdict is bound to. */
export async function digestFiles(
  cwd: string,
  paths: readonly string[],
): Promise<Record<string, string | null>> {
  const digests: Record<string, string | null> = {};
  for (const path of [...paths].sort()) digests[path] = await digestFile(join(cwd, path));
  return digests;
}

/**
 * Writes a verdict as an evidence file of a basis: what was run and how it ended, bound to the files by their digests.
 * It holds no time, duration or output, so that the same verdict over the same files is the same evidence, and a gate
 * that is merely run again shows no new one. Fails with `write_failed`.
 */
export function writeEvidence(
  file: string,
  report: GateReport,
  files: Readonly<Record<string, string | null>>,
): Result<null, Failure> {
  const evidence = {
    schema: 'drift_gate_evidence_v1',
    verdict: report.verdict,
    passed: report.passed,
    failed: report.failures.map(({ label, exit }) => ({ label, exit })),
    skipped: report.skips.map(({ label, rule }) => ({ label, rule })),
    unobserved: report.unobserved,
    worktree_digest: report.worktree_digest,
    files,
  };
  const temporary = `${file}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    writeFileSync(temporary, `${JSON.stringify(evidence, null, 2)}\n`, { flag: 'wx' });
    renameSync(temporary, file);
    return ok(null);
  } catch (error) {
    rmSync(temporary, { force: true });
    return fail({ reason: 'write_failed', file, detail: errorCode(error) ?? String(error) });
  }
}

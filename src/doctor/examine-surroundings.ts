import { realpathSync, statfsSync } from 'node:fs';
import type { Config } from '../contract/config.ts';
import type { Finding } from '../contract/finding.ts';
import { readRequestBudget } from '../evaluate/system-one/ledger/request-budget.ts';
import { openChecks } from '../finality/check.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { findDetour } from '../receipts/find-detour.ts';
import { hasLowSpace } from '../shim/preconditions.ts';
import { removeQuietly, stageFile } from '../spool/durable-file.ts';
import { errorCode, nodeIo } from '../spool/spool-io.ts';
import type { StateLayout } from '../spool/state-layout.ts';

/** Filesystems of other machines, by the number that statfs(2) gives: a lock or a link there may not be what it says. */
const networkFilesystems: Readonly<Record<number, string>> = {
  26985: 'NFS',
  4283649346: 'CIFS',
  4266872130: 'SMB2',
  20859: 'SMB',
  16914839: '9p',
  12805120: 'Ceph',
  1397113167: 'AFS',
  198183888: 'Lustre',
};

const MIN_FREE_INODES = 1_000;
/** Above it the structural levels L4, then L3, decide nothing. */
const HIGH_THRESHOLD = 0.85;

/** What a filesystem has left, and what it is. */
export interface Filesystem {
  readonly type: string;
  readonly free_bytes: number;
  readonly free_inodes: number;
}

export function examineFilesystem(
  layout: StateLayout,
  state: string,
): { readonly filesystem: Filesystem; readonly findings: readonly Finding[] } {
  const { type, bavail, bsize, ffree, files } = statfsSync(state);
  const network = networkFilesystems[type >>> 0];
  const findings: Finding[] = [];
  if (network) findings.push({ reason: 'network_filesystem', file: state, detail: network });
  if (hasLowSpace(state))
    findings.push({ reason: 'low_space', file: state, detail: megabytes(bavail * bsize) });
  if (files > 0 && ffree < MIN_FREE_INODES)
    findings.push({ reason: 'low_inodes', file: state, detail: `${ffree} left` });
  const filesystem = {
    type: network ?? `0x${(type >>> 0).toString(16)}`,
    free_bytes: bavail * bsize,
    free_inodes: ffree,
  };
  return { filesystem, findings: [...findings, ...writeFinding(layout)] };
}

const megabytes = (bytes: number): string => `${Math.floor(bytes / 1_048_576)} MiB free`;

/** Writes and links a file where refresh stages its own. */
function writeFinding(layout: StateLayout): Finding[] {
  try {
    const staged = stageFile(nodeIo, layout.staging, [], false);
    try {
      nodeIo.linkSync(staged, `${staged}-linked`);
      removeQuietly(nodeIo, `${staged}-linked`);
    } finally {
      removeQuietly(nodeIo, staged);
    }
    return [];
  } catch (error) {
    const code = errorCode(error);
    if (!code) throw error;
    return [{ reason: 'write_failed', file: layout.staging, detail: code }];
  }
}

/** What an observer needs beside its own files: its workspace, its runtime, its ledgers. */
export function examineBinding(loaded: LoadedObserver): Finding[] {
  const { observer, goal, layout, state, config } = loaded;
  const findings: Finding[] = [];
  if (realPath(observer.workspace) !== observer.workspace)
    findings.push({ reason: 'workspace_moved', file: observer.workspace });
  const detour = findDetour(goal);
  if (detour !== null) findings.push({ reason: 'runtime_replaced', file: detour });
  if (readRequestBudget(layout.requests, config.system_one?.max_requests ?? 0) === null)
    findings.push({ reason: 'requests_damaged', file: layout.requests });
  const { damaged } = openChecks(state);
  if (damaged > 0) findings.push({ reason: 'checks_damaged', file: state, detail: `${damaged} ledger(s)` });
  if (config.minimum_label_probability > HIGH_THRESHOLD)
    findings.push({ reason: 'threshold_high', file: loaded.configFile, isNotice: true });
  return findings;
}

function realPath(folder: string): string | null {
  try {
    return realpathSync(folder);
  } catch {
    return null;
  }
}

/** A variable that must hold a secret, and whether it does; never its value. */
export interface SecretPresence {
  readonly variable: string;
  readonly present: boolean;
}

/** The variables that the configuration names, and whether drift sees them. */
export function examineSecrets(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
  isShipped: boolean,
): { readonly secrets: readonly SecretPresence[]; readonly findings: readonly Finding[] } {
  const asksModel = ['system-one', 'cascade'].includes(config.evaluator) && config.system_one?.allow_egress;
  const wanted = [
    config.system_one?.api_key_env ? { variable: config.system_one.api_key_env, isNeeded: asksModel } : null,
    config.fleet ? { variable: config.fleet.database_url_env, isNeeded: isShipped } : null,
  ].filter((each) => each !== null);
  const secrets = wanted.map(({ variable }) => ({ variable, present: Boolean(env[variable]) }));
  const findings = wanted
    .filter(({ variable, isNeeded }) => isNeeded && !env[variable])
    .map(({ variable }) => ({ reason: 'secret_missing', field: variable }) as const);
  return { secrets, findings };
}

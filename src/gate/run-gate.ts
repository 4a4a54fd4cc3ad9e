import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Failure } from '../contract/failure.ts';
import type { Debt, GateCommand, GateConfig, GateReport } from '../contract/gate.ts';
import { ok, type Result } from '../contract/result.ts';
import { blindnessFailure } from './blindness.ts';
import { addDebt, debtNote, recheckDebts } from './debts.ts';
import { changeDebts, leaveTrail, readDebts } from './gate-book.ts';
import { type GateRecord, newRecord } from './gate-record.ts';
import { environmentFor } from './resolve-runner.ts';
import { runBoot } from './run-boot.ts';
import { type Progress, runCommands } from './run-commands.ts';
import { compareLaunchContract, launchTimeoutMs, runLaunchScripts } from './run-launch.ts';
import { tally } from './tally-gate.ts';
import { listCommitted, type WorktreeState } from './worktree-digest.ts';

export interface GateRun {
  readonly state: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly config: GateConfig;
  readonly commands: readonly GateCommand[];
  /** For launch scripts, and for commands that name none of their own. */
  readonly timeoutMs?: number | undefined;
  readonly worktree: WorktreeState;
  readonly progress: Progress;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** What a gate found, and what could not be written down about it. */
export interface GateResult {
  readonly report: GateReport;
  /** The verdict stands all the same. */
  readonly unrecorded: readonly Failure[];
}

/**
 * Runs a gate: debts, launch contract, commands, launch scripts, boot, blindness guard, in this order. Every section
 * runs, whatever failed before, and every failure counts. An UNOBSERVED run leaves a debt that the next run shows.
 * Fails with `state_unreadable` when the debts cannot be read.
 */
export async function runGate(run: GateRun): Promise<Result<GateResult, Failure>> {
  const startedAt = run.now();
  const debts = await openDebts(run.state, run.cwd);
  if (!debts.ok) return debts;
  const record = newRecord();
  await runSections(record, run);
  const report = await reportOf(record, run, debts.value, startedAt);
  return ok({ report, unrecorded: await writeDown(run, report) });
}

/** The debts that are open in a folder, re-checked. Fails with `state_unreadable`. */
export async function openDebts(state: string, cwd: string): Promise<Result<readonly Debt[], Failure>> {
  const rows = readDebts(state);
  if (!rows.ok || rows.value.length === 0) return rows.ok ? ok([]) : rows;
  const committed = await listCommitted(cwd);
  const tree = {
    exists: (path: string) => existsSync(resolve(cwd, path)),
    isCommitted: (path: string) => committed.has(path),
  };
  const { open, settled } = recheckDebts(rows.value, tree);
  if (settled.length > 0) await changeDebts(state, (now) => recheckDebts(now, tree).open);
  return ok(open);
}

async function runSections(record: GateRecord, run: GateRun): Promise<void> {
  const { cwd, env, progress, config } = run;
  const timeoutMs = run.timeoutMs;
  compareLaunchContract(record, config, cwd);
  const commands = run.commands.map((command) => ({ ...command, timeoutMs: command.timeoutMs ?? timeoutMs }));
  await runCommands(record, commands, { cwd, env, progress });
  await runLaunchScripts(record, config.launch, {
    cwd,
    env,
    progress,
    timeoutMs: timeoutMs ?? launchTimeoutMs,
  });
  if (config.boot) await runBoot(record, config.boot, { cwd, env, progress });
  await guardAgainstBlindness(record, run);
}

async function guardAgainstBlindness(record: GateRecord, { cwd, env }: GateRun): Promise<void> {
  const counts = tally({ events: record.events, debts: { open_debts: [] } });
  const runners = new Set(
    record.events.flatMap(([kind, name]) => (kind === 'attempted' ? [String(name)] : [])),
  );
  const missing: string[] = [];
  if (blindnessFailure(counts, []) === null) return;
  for (const runner of runners)
    if ((await environmentFor(runner, { cwd, env })) === null) missing.push(runner);
  const text = blindnessFailure(counts, missing) ?? '';
  record.events.push(['fail', text, 0]);
  record.failures.push({
    label: 'blindness',
    text,
    rank: 0,
    observed: false,
    exit: null,
    signal: null,
    tail: '',
  });
}

async function reportOf(
  record: GateRecord,
  run: GateRun,
  open: readonly Debt[],
  startedAt: number,
): Promise<GateReport> {
  const note = debtNote(open);
  const found = tally({ events: record.events, debts: { open_debts: [...open], debt_note: note } });
  return {
    verdict: found.verdict,
    ok: found.ok,
    reason: found.reason,
    head_sha: run.worktree.headSha,
    worktree_digest: run.worktree.digest,
    failures: record.failures.toSorted((a, b) => a.rank - b.rank),
    observed_failures: found.observed_failures ?? [],
    unobserved: found.unobserved ?? null,
    passed: found.passed,
    attempts: found.attempts,
    observations: found.observations,
    spawn_failures: found.spawn_failures,
    skips: record.skips,
    warnings: found.warnings,
    open_debts: open,
    debt_note: note,
    duration_ms: run.now() - startedAt,
  };
}

/** A verdict is not taken back because it could not be written down; whoever asked is told. */
async function writeDown(
  { state, now }: GateRun,
  { verdict, reason, unobserved }: GateReport,
): Promise<Failure[]> {
  const written = [
    unobserved === null
      ? ok(null)
      : await changeDebts(state, (rows) =>
          addDebt(rows, { task: 'gate', reason: unobserved, origin: 'final-gate' }),
        ),
    await leaveTrail(state, {
      line: verdict === 'UNOBSERVED' ? reason : `${verdict}: ${reason}`,
      at: new Date(now()).toISOString(),
      verdict,
    }),
  ];
  return written.flatMap((result) => (result.ok ? [] : [result.failure]));
}

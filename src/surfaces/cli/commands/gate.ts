import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { exitCode } from '../../../contract/exit-code.ts';
import type { Failure } from '../../../contract/failure.ts';
import type { GateCommand, GateConfig, GateReport } from '../../../contract/gate.ts';
import { fail, ok, type Result } from '../../../contract/result.ts';
import { addDebt } from '../../../gate/debts.ts';
import { discoverCommands } from '../../../gate/discover-commands.ts';
import { changeDebts, closeDebt, readTrail } from '../../../gate/gate-book.ts';
import { declaredCommands, plainConfig, readGateConfig } from '../../../gate/read-gate-config.ts';
import { openDebts, runGate } from '../../../gate/run-gate.ts';
import { killLiveProcesses } from '../../../gate/run-process.ts';
import { commandOfLine } from '../../../gate/shell-line.ts';
import { readWorktree } from '../../../gate/worktree-digest.ts';
import { digestFiles, writeEvidence } from '../../../gate/write-evidence.ts';
import { loadObserver } from '../../../observer/load-observer.ts';
import { listDeclaredFiles } from '../../../shim/declared-files.ts';
import { locateAnyState } from '../../../spool/locate-state.ts';
import { openState } from '../../../store/open-state.ts';
import { type Answer, type CommonArguments, defineCommand } from '../command.ts';
import { endBySignal } from '../end-by-signal.ts';
import type { Io } from '../io.ts';
import { describeFailure } from '../render/failure.ts';
import { describeDebts, describeDiscovered, describeGate, describeTrail } from '../render/gate.ts';
import { progressLine } from '../render/progress-line.ts';

interface GateArguments extends CommonArguments {
  readonly cmd?: readonly string[] | undefined;
  readonly timeoutMs?: number | undefined;
  readonly cwd?: string | undefined;
  readonly evidence?: string | undefined;
  readonly unobservedOk?: boolean | undefined;
  readonly id?: string | undefined;
  readonly task?: string | undefined;
  readonly reason?: string | undefined;
}

export const command = defineCommand({
  usage: 'gate [--config FILE | --cmd CMD…] [options]',
  describe:
    'Runs what the project offers to run (npm, make, cargo, go, pytest) or what you declare, all of it, and says PASS (0), FAIL (1) or UNOBSERVED (3): nothing failed, and something that should have been seen was not. UNOBSERVED is never a pass and leaves a debt that every later run shows until you close it. Only exit statuses decide. Also: gate discover; gate history; gate debts; gate debts close --id ID --reason TEXT; gate accept --task T --reason TEXT.',
  examples: [
    ["drift gate --cmd 'npm test' --cmd 'npm run e2e' && ./ship.sh", 'ships only what was seen to pass'],
    [
      'drift gate --config gate.json --evidence gate-evidence.json',
      'with a boot check, and the verdict as evidence',
    ],
  ],
  exits: [
    ['0', 'PASS'],
    ['1', 'FAIL'],
    ['3', 'UNOBSERVED, which is never a pass'],
  ],
  config: "the gate's own configuration (drift_gate_config_v1)",
  build: (yargs) =>
    yargs
      .demandCommand(0, 2)
      .option('cmd', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe: 'a command line to run; repeat for more',
      })
      .option('timeout-ms', { type: 'number', describe: 'for each command without a timeout of its own' })
      .option('cwd', { type: 'string', describe: 'where to run; the working directory by default' })
      .option('evidence', { type: 'string', describe: 'write the verdict to this file, for a basis' })
      .option('unobserved-ok', { type: 'boolean', describe: 'exit 0 on UNOBSERVED' })
      .option('id', { type: 'string', describe: 'a debt' })
      .option('task', { type: 'string', describe: 'what an accepted debt is about' })
      .option('reason', { type: 'string', describe: 'why it is accepted or closed' }),
  run: async (args: GateArguments, io): Promise<Result<Answer, Failure>> => {
    const verbs = args._.map(String).join(' ');
    const cwd = resolve(io.cwd, args.cwd ?? '.');
    if (!existsSync(cwd) || !statSync(cwd).isDirectory())
      return fail({ reason: 'usage', field: '--cwd', detail: `${cwd} is no folder` });
    const run = subcommands[verbs];
    return run ? run(args, { io, cwd }) : usage(`gate has no ${verbs}`);
  },
});

interface Where {
  readonly io: Io;
  readonly cwd: string;
}

const subcommands: Readonly<
  Record<string, (args: GateArguments, where: Where) => Promise<Result<Answer, Failure>>>
> = {
  '': judge,
  discover: async (_args, { cwd }) => {
    const found = discoverCommands(cwd);
    const commands = found.commands.map(({ label, argv, source, skipExit }) => ({
      label,
      argv,
      source,
      skip_exit: skipExit,
    }));
    return ok({
      document: { schema: 'drift_gate_discovered_v1', commands, left_out: found.left_out },
      text: describeDiscovered(found),
    });
  },
  history: async (args, where) => {
    const rows = readTrail(existingState(args, where));
    return ok({ document: { schema: 'drift_gate_history_v1', rows }, text: describeTrail(rows) });
  },
  debts: async (args, where) => {
    const debts = await openDebts(existingState(args, where), where.cwd);
    if (!debts.ok) return debts;
    return ok({
      document: { schema: 'drift_gate_debts_v1', open_debts: debts.value },
      text: describeDebts(debts.value),
    });
  },
  'debts close': closeOne,
  accept,
};

const usage = (detail: string, field?: string): Result<never, Failure> =>
  fail({ reason: 'usage', detail, ...(field ? { field } : {}) });

const stateOf = ({ stateDir }: GateArguments, { io, cwd }: Where) =>
  openState({ stateDir, env: io.env, cwd });

/** For what only reads: nothing is made. */
const existingState = ({ stateDir }: GateArguments, { io, cwd }: Where) =>
  locateAnyState({ stateDir, env: io.env, cwd });

async function closeOne(args: GateArguments, where: Where): Promise<Result<Answer, Failure>> {
  if (!args.id) return usage('--id is missing: drift gate debts lists them', '--id');
  if (!args.reason?.trim()) return usage('--reason is missing: say why the debt is paid', '--reason');
  const state = stateOf(args, where);
  if (!state.ok) return state;
  const at = new Date(where.io.now()).toISOString();
  const closed = await closeDebt(state.value, args.id, { reason: args.reason, at });
  if (!closed.ok) return closed;
  return ok({
    document: { schema: 'drift_gate_debts_v1', closed: closed.value },
    text: `closed: ${closed.value.task} ${closed.value.reason}`,
  });
}

async function accept(args: GateArguments, where: Where): Promise<Result<Answer, Failure>> {
  if (!args.task?.trim()) return usage('--task is missing', '--task');
  if (!args.reason?.trim()) return usage('--reason is missing: say what is left owing', '--reason');
  const state = stateOf(args, where);
  if (!state.ok) return state;
  const { task, reason } = args;
  const rows = await changeDebts(state.value, (now) => addDebt(now, { task, reason, origin: 'accepted' }));
  if (!rows.ok) return rows;
  const debts = await openDebts(state.value, where.cwd);
  if (!debts.ok) return debts;
  return ok({
    document: { schema: 'drift_gate_debts_v1', open_debts: debts.value },
    text: describeDebts(debts.value),
  });
}

async function judge(args: GateArguments, where: Where): Promise<Result<Answer, Failure>> {
  const plan = planOf(args, where);
  if (!plan.ok) return plan;
  const state = stateOf(args, where);
  if (!state.ok) return state;
  const { io, cwd } = where;
  const evidence = args.evidence === undefined ? null : resolve(io.cwd, args.evidence);
  const worktree = await readWorktree(cwd, evidence);
  const files = evidence === null ? {} : await digestFiles(cwd, declaredFiles(args, where));
  const progress = progressLine(io);
  const interrupts = endProcessesOnInterrupt();
  const run = await runGate({
    state: state.value,
    cwd,
    env: { ...io.env },
    ...plan.value,
    timeoutMs: args.timeoutMs,
    worktree,
    progress,
    now: io.now,
  });
  interrupts.remove();
  if (!run.ok) return run;
  const { report, unrecorded } = run.value;
  for (const failure of unrecorded)
    io.stderr.write(`drift: not recorded: ${describeFailure(failure).message}\n`);
  const written = evidence === null ? ok(null) : writeEvidence(evidence, report, files);
  if (!written.ok) return written;
  return ok({
    document: { schema: 'drift_gate_v1', ...report },
    text: describeGate(report),
    exit: exitOf(report, args.unobservedOk === true || plan.value.config.unobserved === 'ok'),
  });
}

function exitOf({ verdict }: GateReport, isUnobservedOk: boolean): number {
  if (verdict === 'FAIL') return exitCode.finding;
  return verdict === 'UNOBSERVED' && !isUnobservedOk ? exitCode.unobserved : exitCode.done;
}

function planOf(
  args: GateArguments,
  { io, cwd }: Where,
): Result<{ config: GateConfig; commands: readonly GateCommand[] }, Failure> {
  const { config: file, cmd = [], timeoutMs } = args;
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs > 0))
    return usage('--timeout-ms must be a whole number above 0', '--timeout-ms');
  if (args.rest !== null) return usage('gate takes commands by --cmd, not after --');
  if (file !== undefined && cmd.length > 0) return usage('give --config or --cmd, not both', '--cmd');
  if (cmd.some((line) => line.trim() === '')) return usage('--cmd is empty', '--cmd');
  if (cmd.length > 0)
    return ok({
      config: plainConfig,
      commands: cmd.map((line) => commandOfLine(line, { cwd, env: { ...io.env } })),
    });
  const config = file === undefined ? ok(plainConfig) : readGateConfig(resolve(io.cwd, file));
  if (!config.ok) return config;
  return ok({
    config: config.value,
    commands: declaredCommands(config.value) ?? discoverCommands(cwd).commands,
  });
}

/** The files that the observer of this folder declares; none where there is no observer. */
function declaredFiles({ stateDir }: GateArguments, { io, cwd }: Where): string[] {
  const loaded = loadObserver({ stateDir, env: io.env, cwd });
  if (!loaded.ok) return [];
  const { observer } = loaded.value;
  const listed = listDeclaredFiles({ ...observer, evidence: [] }, []);
  return 'files' in listed ? listed.files.map(({ path }) => path) : [];
}

/** The commands run in groups of their own, which an interrupt of ours would not reach. */
function endProcessesOnInterrupt(): { readonly remove: () => void } {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const listeners = signals.map((signal) => {
    const end = () => {
      killLiveProcesses();
      void endBySignal(signal);
    };
    process.once(signal, end);
    return () => process.off(signal, end);
  });
  return {
    remove: () => {
      for (const remove of listeners) remove();
    },
  };
}

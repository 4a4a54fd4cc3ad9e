import { resolve } from 'node:path';
import type { CheckRequest, CheckRuling } from '../../../contract/check.ts';
import { exitCode } from '../../../contract/exit-code.ts';
import type { Failure } from '../../../contract/failure.ts';
import { type ActionKind, actionKinds, type SemanticState } from '../../../contract/finality.ts';
import { fail, ok, type Result } from '../../../contract/result.ts';
import { check, resetCheck, showCheck } from '../../../finality/check.ts';
import { judgeFinality } from '../../../finality/judge-finality.ts';
import { runProbe } from '../../../finality/run-probe.ts';
import { isJsonObject } from '../../../json/json-object.ts';
import { readJsonFile } from '../../../json/read-json-file.ts';
import { locateAnyState } from '../../../spool/locate-state.ts';
import { openState } from '../../../store/open-state.ts';
import { type Answer, type CommonArguments, defineCommand } from '../command.ts';
import type { Io } from '../io.ts';
import { readJsonArgument } from '../read-json-argument.ts';
import { describeLedger, describeRuling, describeTranscript } from '../render/check.ts';

const maxTranscriptBytes = 64 * 1024 * 1024;
const maxIdLength = 256;

interface CheckArguments extends CommonArguments {
  readonly id?: string | undefined;
  readonly stage?: string | undefined;
  readonly deliverable?: string | undefined;
  readonly dependency?: string | undefined;
  readonly required?: boolean | undefined;
  readonly notRequired?: boolean | undefined;
  readonly semantic?: string | undefined;
  readonly volatile?: string | undefined;
  readonly action?: string | undefined;
  readonly expect?: string | undefined;
  readonly escalateWhen?: string | undefined;
  readonly status?: string | undefined;
  readonly output?: string | undefined;
  readonly transcript?: string | undefined;
  readonly reason?: string | undefined;
  readonly ask: boolean;
}

export const command = defineCommand({
  usage:
    'check --id ID --stage S --deliverable D --dependency P --required|--not-required --semantic JSON --action KIND [-- PROBE…]',
  describe:
    'Grants one look at a dependency per state, and never a second one at the same state. A state is the stage, the deliverable, the dependency, whether it is required, and the semantic state; timestamps and request ids belong into --volatile, which never counts. The grant is kept durably before PROBE starts. Also: check --transcript FILE judges a whole run; check show --id ID; check reset --id ID --reason TEXT.',
  examples: [
    [
      'drift check --id publish-42 --stage deliver --deliverable accepted --dependency pending --required --semantic \'{"cursor":7}\' --action check -- ./poll.sh',
      'runs ./poll.sh the first time, exits 3 the second',
    ],
    ['drift check show --id publish-42', 'what was seen last and how many checks it used up'],
  ],
  build: (yargs) =>
    yargs
      .demandCommand(0, 1)
      .option('id', { type: 'string', describe: 'stable identifier of the hand-off' })
      .option('stage', { type: 'string', describe: 'stage of the work' })
      .option('deliverable', {
        type: 'string',
        describe: 'state of the deliverable; accepted and finished end a stage',
      })
      .option('dependency', {
        type: 'string',
        describe: 'state of the dependency; pending and failed hold back',
      })
      .option('required', { type: 'boolean', describe: 'the next stage needs the dependency' })
      .option('not-required', { type: 'boolean', describe: 'the next stage does not need it' })
      .option('semantic', {
        type: 'string',
        describe: 'JSON object or @FILE: what makes this state another one',
      })
      .option('volatile', { type: 'string', describe: 'JSON object or @FILE: what never does' })
      .option('action', { type: 'string', choices: actionKinds, describe: 'what is to be done next' })
      .option('expect', { type: 'string', describe: 'what the next change of state would look like' })
      .option('escalate-when', { type: 'string', describe: 'when an unchanged observation escalates' })
      .option('status', {
        type: 'string',
        describe: "name of the current state; the dependency's by default",
      })
      .option('output', { type: 'string', describe: 'latest meaningful output, or where it is' })
      .option('transcript', { type: 'string', describe: 'judge the run in this file instead' })
      .option('reason', { type: 'string', describe: 'why a reset is right' })
      .option('ask', { type: 'boolean', default: false, hidden: true }),
  run: async (args: CheckArguments, io): Promise<Result<Answer, Failure>> => {
    const [verb] = args._;
    const asksNothing = verb !== undefined || args.transcript !== undefined;
    if (asksNothing && args.rest !== null) return usage('only a check of a state takes a probe after --');
    if (verb === 'show') return show(args, io);
    if (verb === 'reset') return reset(args, io);
    if (verb !== undefined)
      return usage(`check has no ${verb}`, { nearest: 'drift check show or drift check reset' });
    return args.transcript === undefined ? decide(args, io) : judgeTranscript(args.transcript, io);
  },
});

const usage = (detail: string, more: Partial<Failure> = {}): Result<never, Failure> =>
  fail({ reason: 'usage', detail, ...more });

const locate = ({ stateDir }: CheckArguments, { env, cwd }: Io) => ({ stateDir, env, cwd });

const isoNow = (io: Io): string => new Date(io.now()).toISOString();

async function decide(args: CheckArguments, io: Io): Promise<Result<Answer, Failure>> {
  const request = readRequest(args, io);
  if (!request.ok) return request;
  const probe = args.rest;
  if (probe !== null && probe.length === 0) return usage('there is no probe after --');
  const state = openState(locate(args, io));
  if (!state.ok) return fail({ ...state.failure, reason: 'ledger_unavailable' });
  const ruled = await check(state.value, request.value, isoNow(io));
  if (!ruled.ok) return ruled;
  if (args.ask && probe !== null && ruled.value.decision === 'allow')
    return ok({ document: {}, text: '', exit: exitCode.granted });
  return ok(await answer(ruled.value, probe, args.json, io));
}

/** Runs the probe if it was granted. Its output is the command's own; ours goes to stderr then. */
async function answer(
  ruling: CheckRuling,
  probe: readonly string[] | null,
  json: boolean,
  io: Io,
): Promise<Answer> {
  const { decision } = ruling;
  const text = describeRuling(ruling);
  const ran = probe !== null && decision === 'allow';
  const outcome = ran ? await runProbe(probe, json ? 2 : 1) : { exit: null, signal: null };
  if (probe !== null && !ran && !json) io.stderr.write(`drift: ${text}\n`);
  const { entry, ...rest } = ruling;
  return {
    document: { schema: 'drift_check_v1', ...rest, entry, probe: { ran, ...outcome } },
    text: probe === null ? text : '',
    exit: ran ? (outcome.signal ?? outcome.exit ?? exitCode.done) : exitOf(decision),
  };
}

function exitOf(decision: CheckRuling['decision']): number {
  if (decision === 'allow') return exitCode.done;
  return decision === 'deny' ? exitCode.denied : exitCode.mustFinish;
}

function readRequest(args: CheckArguments, { cwd }: Io): Result<CheckRequest, Failure> {
  const missing = (['id', 'stage', 'deliverable', 'dependency', 'semantic', 'action'] as const).find(
    (name) => args[name] === undefined || args[name] === '',
  );
  if (missing) return usage(`--${missing} is missing`, { field: `--${missing}` });
  if (args.id?.trim() === '' || [...(args.id ?? '')].length > maxIdLength)
    return usage(`--id must hold 1 to ${maxIdLength} characters, not all blank`, { field: '--id' });
  const required = args.required === true;
  if (required === (args.notRequired === true))
    return usage('say --required or --not-required, and not both', { field: '--required' });
  const semantic = readObject(args.semantic ?? '', '--semantic', cwd);
  if (!semantic.ok) return semantic;
  const volatile = readObject(args.volatile ?? '{}', '--volatile', cwd);
  if (!volatile.ok) return volatile;
  return ok({
    id: args.id ?? '',
    observation: {
      stage: args.stage ?? '',
      deliverable_state: args.deliverable ?? '',
      dependency_state: args.dependency ?? '',
      dependency_required_for_next_stage: required,
      semantic_state: semantic.value,
    },
    action: args.action as ActionKind,
    status: args.status,
    output: args.output,
    expectedTransition: args.expect,
    escalationTrigger: args.escalateWhen,
  });
}

function readObject(value: string, option: string, cwd: string): Result<SemanticState, Failure> {
  const read = readJsonArgument(value, option, cwd);
  if (!read.ok) return read;
  return isJsonObject(read.value)
    ? ok(read.value)
    : fail({ reason: 'json_invalid', file: option, field: option, detail: 'it is no object' });
}

/** The rules over a finished run, without any state. */
function judgeTranscript(file: string, { cwd }: Io): Result<Answer, Failure> {
  const path = resolve(cwd, file);
  const read = readJsonFile(path, maxTranscriptBytes);
  if (!read.ok) return read;
  const verdict = judgeFinality(read.value.value);
  if ('ok' in verdict)
    return fail({ reason: 'json_invalid', file: path, field: verdict.field, detail: 'it is no run' });
  const exits = {
    must_finish: exitCode.mustFinish,
    identical_repoll: exitCode.denied,
    stuck_work: exitCode.denied,
  };
  return ok({
    document: { schema: 'drift_check_transcript_v1', ...verdict },
    text: describeTranscript(verdict),
    exit: verdict.failed_rule ? exits[verdict.failed_rule] : exitCode.done,
  });
}

function show(args: CheckArguments, io: Io): Result<Answer, Failure> {
  if (!args.id) return usage('--id is missing', { field: '--id' });
  const ledger = showCheck(locateAnyState(locate(args, io)), args.id);
  if (!ledger.ok) return ledger;
  return ok({
    document: { schema: 'drift_check_entry_v1', ...visible(ledger.value) },
    text: describeLedger(ledger.value),
  });
}

async function reset(args: CheckArguments, io: Io): Promise<Result<Answer, Failure>> {
  if (!args.id) return usage('--id is missing', { field: '--id' });
  if (!args.reason?.trim())
    return usage('--reason is missing: say why a new start is right', { field: '--reason' });
  const now = isoNow(io);
  const ledger = await resetCheck(locateAnyState(locate(args, io)), args.id, { reason: args.reason, now });
  if (!ledger.ok) return ledger;
  return ok({
    document: { schema: 'drift_check_entry_v1', ...visible(ledger.value) },
    text: `${args.id} starts anew: ${args.reason}`,
  });
}

/** Without the table of every fingerprint ever checked. */
function visible({
  schema_version: _version,
  checks,
  ...ledger
}: import('../../../contract/check.ts').CheckLedger) {
  return { ...ledger, states_checked: Object.keys(checks).length };
}

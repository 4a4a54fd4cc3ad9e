import { resolve } from 'node:path';
import { exitCode } from '../../../contract/exit-code.ts';
import type { Failure } from '../../../contract/failure.ts';
import {
  type HookAnswer,
  type HookHost,
  type HookPayload,
  hookHosts,
  hookPayloadSchema,
} from '../../../contract/hook.ts';
import { fail, ok, type Result } from '../../../contract/result.ts';
import { readGoalPolicy, readGoalReview } from '../../../goal/goal-review.ts';
import { openObligations } from '../../../goal/open-obligations.ts';
import { shellCommand } from '../../../goal/shell-words.ts';
import { answerHook, type OwedByAgent } from '../../../hosts/answer-hook.ts';
import { captureStop } from '../../../hosts/capture-stop.ts';
import { claimBlock } from '../../../hosts/claim-block.ts';
import { hookLine, planInstall, planUninstall } from '../../../hosts/hook-settings.ts';
import { locateSettings, readSettings, writeSettings } from '../../../hosts/settings-file.ts';
import { type LoadedObserver, loadObserver } from '../../../observer/load-observer.ts';
import { type Answer, type CommonArguments, defineCommand } from '../command.ts';
import type { Io } from '../io.ts';
import { readAllInput } from '../read-all-input.ts';
import { describeHookPlan } from '../render/hook.ts';
import { obligationPrompt } from '../render/obligation.ts';

interface HookArguments extends CommonArguments {
  readonly block: boolean;
  readonly agentId?: string | undefined;
  readonly host?: string | undefined;
  readonly settings?: string | undefined;
  readonly execute: boolean;
}

const maxPayloadBytes = 4 * 1024 * 1024;

export const command = defineCommand({
  usage: 'hook claude-code|codex | hook install|uninstall --host HOST',
  describe:
    "A host's stop hook: reads the host's payload on standard input, captures the transition, and in assist mode answers with the open obligation, in the host's own JSON. --block, off by default, holds a stop instead, once per obligation and session. Where there is no observer, the mode is off or anything is broken, the host is let go without a word. install and uninstall preview what they would do to the host's settings file, and do it with --execute.",
  examples: [
    ['drift hook install --host claude-code --execute', 'adds the hooks to .claude/settings.json'],
    ['drift hook uninstall --host claude-code', 'shows what would be taken out again'],
  ],
  exits: [
    ['0', 'the host is let go, its answer printed'],
    ['1', 'wrong usage of a hook, so that no host takes it for a block'],
  ],
  // A host may take exit 2 for a block.
  refusalExit: (words) => (isHost(words[0]) ? exitCode.finding : exitCode.usage),
  build: (yargs) =>
    yargs
      .demandCommand(0, 1)
      .option('block', {
        type: 'boolean',
        default: false,
        describe: 'hold a stop once per obligation and session',
      })
      .option('agent-id', { type: 'string', describe: 'who works; the name of the host by default' })
      .option('host', { type: 'string', choices: hookHosts, describe: 'whose settings to change' })
      .option('settings', { type: 'string', describe: 'another settings file of the host' })
      .option('execute', { type: 'boolean', default: false, describe: 'write the file, not only show it' }),
  run: async (args: HookArguments, io): Promise<Result<Answer, Failure>> => {
    const [verb] = args._;
    if (isHost(verb)) return ok(tell(await answerQuietly(verb, args, io)));
    if (verb === 'install' || verb === 'uninstall') return changeSettings(verb, args, io);
    return usage('say hook claude-code, hook codex, hook install or hook uninstall');
  },
});

const isHost = (word: unknown): word is HookHost => hookHosts.some((host) => host === word);

const usage = (detail: string, field?: string): Result<never, Failure> =>
  fail({ reason: 'usage', detail, ...(field ? { field } : {}) });

const tell = (answer: HookAnswer): Answer => ({
  document: answer ?? {},
  text: answer === null ? '' : JSON.stringify(answer),
});

/** Fail open around the host: nothing that goes wrong here is its trouble. */
async function answerQuietly(host: HookHost, args: HookArguments, io: Io): Promise<HookAnswer> {
  try {
    const payload = hookPayloadSchema.safeParse(JSON.parse(await readAllInput(io.stdin, maxPayloadBytes)));
    return payload.success ? await answerPayload(host, payload.data, { args, io }) : null;
  } catch {
    return null;
  }
}

interface Call {
  readonly args: HookArguments;
  readonly io: Io;
}

async function answerPayload(host: HookHost, payload: HookPayload, { args, io }: Call): Promise<HookAnswer> {
  const cwd = payload.cwd ?? io.cwd;
  const loaded = loadObserver({ stateDir: args.stateDir, config: args.config, env: io.env, cwd });
  if (!loaded.ok || loaded.value.config.mode === 'off') return null;
  const { state } = loaded.value;
  const agentId = args.agentId ?? io.env['DRIFT_AGENT_ID'] ?? host;
  if (payload.hook_event_name === 'Stop') await captureStop(state, agentId, payload);
  return answerHook(payload, owedBy(agentId, loaded.value, { env: io.env, cwd }), {
    block: args.block,
    claimBlock: (obligationId, session) => claimBlock(state, obligationId, session),
  });
}

/** Only the mode assist has obligations; in shadow nothing is told. */
function owedBy(agentId: string, loaded: LoadedObserver, where: Pick<Io, 'env' | 'cwd'>): OwedByAgent | null {
  const policy = readGoalPolicy(loaded, where);
  if (policy.policy.mode !== 'assist') return null;
  const review = readGoalReview(loaded, policy);
  const open = review && openObligations(loaded, review).find(({ agent_id }) => agent_id === agentId);
  return open ? { obligation_id: open.obligation_id, prompt: obligationPrompt(open) } : null;
}

function changeSettings(verb: 'install' | 'uninstall', args: HookArguments, io: Io): Result<Answer, Failure> {
  const { host } = args;
  if (!isHost(host)) return usage(`--host is missing: ${hookHosts.join(' or ')}`, '--host');
  const file = args.settings === undefined ? locateSettings(host, io) : resolve(io.cwd, args.settings);
  const before = readSettings(file);
  if (!before.ok) return before;
  const plan =
    verb === 'install' ? planInstall(before.value, hookCommands(host, args)) : planUninstall(before.value);
  if (!plan.ok)
    return fail({
      reason: plan.field === '' ? 'json_invalid' : 'config_invalid',
      file,
      detail: 'it is left as it is',
      ...(plan.field === '' ? {} : { field: plan.field }),
    });
  const executed = args.execute && plan.changed;
  if (executed && plan.text !== null) {
    const written = writeSettings(file, plan.text);
    if (!written.ok) return written;
  }
  const document = {
    schema: 'drift_hook_plan_v1',
    action: verb,
    host,
    file,
    changed: plan.changed,
    executed,
  };
  return ok({
    document: { ...document, before: before.value, after: plan.text },
    text: describeHookPlan({ ...document, before: before.value, after: plan.text }),
  });
}

function hookCommands(host: HookHost, args: HookArguments): Record<string, string> {
  const program = new URL('../../../../bin/drift', import.meta.url).pathname;
  const line = (words: readonly string[]) => hookLine(shellCommand([program, 'hook', host, ...words]));
  const named = [
    ...(args.agentId === undefined ? [] : ['--agent-id', args.agentId]),
    ...(args.stateDir === undefined ? [] : ['--state-dir', resolve(args.stateDir)]),
  ];
  return {
    Stop: line([...named, ...(args.block ? ['--block'] : [])]),
    UserPromptSubmit: line(named),
  };
}

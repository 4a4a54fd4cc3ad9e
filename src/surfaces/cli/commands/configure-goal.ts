import type { Failure } from '../../../contract/failure.ts';
import { driftThresholdRange, policyModes, policySignals } from '../../../contract/policy.ts';
import { fail, ok, type Result } from '../../../contract/result.ts';
import { type Configured, configurePolicy } from '../../../goal/configure-policy.ts';
import { locateRegistry, type RegistryPlace } from '../../../goal/locate-registry.ts';
import type { PolicyChange } from '../../../goal/plan-policy-change.ts';
import { shellCommand } from '../../../goal/shell-words.ts';
import { isDriftThreshold, pinOf } from '../../../sentinel/normalize-policy.ts';
import { type Answer, type CommonArguments, defineCommand } from '../command.ts';
import type { Io } from '../io.ts';
import { loadFor } from '../load.ts';

export const command = defineCommand({
  usage: 'configure-goal --goal-id G [--progress-review-…] [--execute]',
  describe:
    "Shows or changes a goal's progress-review policy, in a LoopX registry or the observer's own. A preview unless --execute; without a setting it only shows.",
  examples: [
    ['drift configure-goal --goal-id demo', 'show the policy'],
    [
      'drift configure-goal --goal-id demo --progress-review-mode shadow --execute',
      'record and show receipts',
    ],
    [
      'drift configure-goal --goal-id demo --progress-review-mode assist --progress-review-contract-revision SHA256 --execute',
      'let a streak of drift raise an obligation',
    ],
  ],
  build: (yargs) =>
    yargs
      .option('goal-id', { type: 'string', demandOption: true, describe: 'the goal' })
      .option('registry', {
        type: 'string',
        describe: 'registry file of LoopX (else found, else the own one)',
      })
      .option('progress-review-mode', { choices: policyModes, describe: 'off, shadow or assist' })
      .option('progress-review-signal', {
        choices: policySignals,
        describe: 'which judgments count as drift',
      })
      .option('progress-review-drift-threshold', {
        type: 'string',
        describe: 'adjacent drift verdicts, 2 to 20',
      })
      .option('progress-review-contract-revision', {
        type: 'string',
        describe: 'the pin: 64 hex digits, or empty for none',
      })
      .option('clear-progress-review-configuration', {
        type: 'boolean',
        default: false,
        describe: 'take the policy away',
      })
      .option('execute', { type: 'boolean', default: false, describe: 'write the change' }),
  run: async (args, io) => {
    const change = changeFrom(args);
    if (!change.ok) return change;
    const place = placeOf(args, io);
    if (!place.ok) return place;
    const { goalId, execute } = args;
    const configured = await configurePolicy({
      place: place.value.place,
      goalId,
      change: change.value,
      execute,
      runtimeRoot: place.value.runtimeRoot,
      now: io.now(),
    });
    if (configured.ok)
      return ok(
        answer(configured.value, { goalId, execute, change: change.value, place: place.value.place }),
      );
    return fail(
      withLoopxCommand(configured.failure, { goalId, change: change.value, place: place.value.place }),
    );
  },
});

interface PolicyArguments {
  readonly progressReviewMode?: (typeof policyModes)[number] | undefined;
  readonly progressReviewSignal?: (typeof policySignals)[number] | undefined;
  readonly progressReviewDriftThreshold?: string | undefined;
  readonly progressReviewContractRevision?: string | undefined;
  readonly clearProgressReviewConfiguration: boolean;
}

function changeFrom(args: PolicyArguments): Result<PolicyChange, Failure> {
  const {
    progressReviewMode: mode,
    progressReviewSignal: signal,
    progressReviewDriftThreshold: digits,
  } = args;
  const threshold = digits === undefined ? undefined : Number(digits);
  const pin =
    args.progressReviewContractRevision === undefined
      ? undefined
      : pinOf(args.progressReviewContractRevision);
  const wrong = (field: string, detail: string) =>
    fail<Failure>({ reason: 'usage', field, detail: `--${field} ${detail}` });
  if (digits !== undefined && !(/^\d+$/.test(digits) && isDriftThreshold(threshold)))
    return wrong(
      'progress-review-drift-threshold',
      `takes a whole number from ${driftThresholdRange.min} to ${driftThresholdRange.max}`,
    );
  if (args.progressReviewContractRevision !== undefined && pin === undefined)
    return wrong(
      'progress-review-contract-revision',
      'takes 64 hexadecimal digits, or nothing to take the pin away',
    );
  const settings = {
    ...(mode === undefined ? {} : { mode }),
    ...(signal === undefined ? {} : { signal }),
    ...(threshold === undefined ? {} : { drift_threshold: threshold }),
    ...(pin === undefined ? {} : { contract_revision: pin }),
  };
  const sets = Object.keys(settings).length > 0;
  if (args.clearProgressReviewConfiguration && sets)
    return wrong('clear-progress-review-configuration', 'goes with no other setting');
  if (args.clearProgressReviewConfiguration) return ok({ kind: 'clear' });
  return ok(sets ? { kind: 'set', ...settings } : { kind: 'look' });
}

interface Found {
  readonly place: RegistryPlace;
  readonly runtimeRoot: string | undefined;
}

/** A named registry needs no observer; anything else is looked for from the observer's side. */
function placeOf(
  args: CommonArguments & { readonly registry?: string | undefined; readonly goalId: string },
  io: Io,
): Result<Found, Failure> {
  const loaded = loadFor(args, io);
  const observer = loaded.ok ? loaded.value.observer : undefined;
  const ours = observer?.goal_id === args.goalId ? observer : undefined;
  const place = locateRegistry({
    named: args.registry,
    env: io.env,
    cwd: io.cwd,
    goalId: args.goalId,
    workspace: ours?.workspace,
    runtimeRoot: ours?.runtime_root,
    own: loaded.ok ? loaded.value.layout.registry : undefined,
  });
  if (place === null) return loaded.ok ? fail({ reason: 'state_not_found' }) : loaded;
  // The observer keeps the policy of its own goal and of no other.
  if (place.owner === 'own' && observer && !ours)
    return fail({
      reason: 'goal_not_found',
      field: args.goalId,
      file: place.file,
      nearest: observer.goal_id,
    });
  return ok({ place, runtimeRoot: ours?.runtime_root });
}

interface Asked {
  readonly goalId: string;
  readonly change: PolicyChange;
  readonly place: RegistryPlace;
}

function answer(
  { before, after, policy, feature_summary, changed, written }: Configured,
  { goalId, execute, place }: Asked & { readonly execute: boolean },
): Answer {
  const executed = execute && written;
  const document = {
    ok: true,
    schema: 'drift_configure_goal_v1',
    dry_run: !execute,
    execute,
    registry: place.file,
    registry_owner: place.owner,
    goal_id: goalId,
    changed,
    changed_fields: changed ? ['control_plane'] : [],
    before: { control_plane: before },
    after: { control_plane: after },
    written,
    feature_summary,
    policy,
    ...(policy.mode === 'assist' && policy.contract_revision === null
      ? { assist_blocked_reason: 'contract_revision_unpinned' }
      : {}),
  };
  const shown = Object.entries(policy).map(([key, value]) => `${key.padEnd(22)}${value ?? 'none'}`);
  const note = executed
    ? `Written to ${place.file}.`
    : changed
      ? 'Preview; nothing was written. Add --execute to write it.'
      : 'Nothing to change.';
  const inert =
    'assist_blocked_reason' in document ? ['assist does nothing until a contract revision is pinned'] : [];
  return { document, text: [`goal ${goalId}`, ...shown, ...inert, note].join('\n') };
}

/** Where LoopX's lock is not to be had, LoopX itself can make the change. */
function withLoopxCommand(failure: Failure, { goalId, change, place }: Asked): Failure {
  if (failure.reason !== 'registry_lock_unavailable') return failure;
  const words = change.kind === 'clear' ? ['--clear-progress-review-configuration'] : settingWords(change);
  const line = [
    'loopx',
    '--registry',
    place.file,
    'configure-goal',
    '--goal-id',
    goalId,
    ...words,
    '--execute',
  ];
  return { ...failure, nearest: shellCommand(line) };
}

const settingWords = (change: PolicyChange): string[] =>
  Object.entries(change).flatMap(([key, value]) =>
    key === 'kind' ? [] : [`--progress-review-${key.replaceAll('_', '-')}`, String(value ?? '')],
  );

import type { JsonObject } from '../json/json-object.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { agentOf, claimOf, isNeutral } from '../sentinel/run-row.ts';
import { textOf } from '../sentinel/strip-text.ts';
import { turnIdentity } from '../sentinel/turn-identity.ts';
import type { GoalPolicy, GoalReview } from './goal-review.ts';
import { shellCommand } from './shell-words.ts';

/** Why assist cannot fire, with the command that cures it. */
export interface AssistBlocker {
  readonly reason:
    | 'registry_unreadable'
    | 'invalid_configuration'
    | 'policy_off'
    | 'policy_shadow'
    | 'contract_revision_unpinned'
    | 'pin_differs_from_basis'
    | 'observer_off'
    | 'run_history_unavailable'
    | 'receipts_unavailable'
    | 'no_runs'
    | 'anonymous_runs'
    | 'invalid_turns'
    | 'no_typed_claims'
    | 'nothing_drained';
  readonly cure: string;
}

/** How many of the newest rows speak for how a goal is run today. */
const RECENT_ROWS = 20;

/** Everything that stands between a goal and an obligation, most general first; empty when assist can fire. */
export function assistBlockers(
  loaded: LoadedObserver,
  policy: GoalPolicy,
  review: GoalReview | null,
): AssistBlocker[] {
  return [
    ...policyBlockers(loaded, policy),
    ...(loaded.config.mode === 'off'
      ? [{ reason: 'observer_off', cure: drift(loaded, 'configure', '--mode', 'shadow') } as const]
      : []),
    ...(review ? reviewBlockers(loaded, review) : []),
  ];
}

function policyBlockers(loaded: LoadedObserver, { policy, place, unreadable }: GoalPolicy): AssistBlocker[] {
  const configure = (...words: string[]): string => {
    const registry = place.owner === 'loopx' ? ['--registry', place.file] : [];
    return drift(
      loaded,
      'configure-goal',
      '--goal-id',
      loaded.observer.goal_id,
      ...registry,
      ...words,
      '--execute',
    );
  };
  const pinned = ['--progress-review-contract-revision', loaded.contractRevision];
  if (unreadable) return [{ reason: 'registry_unreadable', cure: shellCommand(['ls', '-l', place.file]) }];
  if (policy.invalid_configuration)
    return [{ reason: 'invalid_configuration', cure: configure('--clear-progress-review-configuration') }];
  if (policy.mode !== 'assist')
    return [
      { reason: `policy_${policy.mode}`, cure: configure('--progress-review-mode', 'assist', ...pinned) },
    ];
  if (policy.contract_revision === null)
    return [{ reason: 'contract_revision_unpinned', cure: configure(...pinned) }];
  return policy.contract_revision === loaded.contractRevision
    ? []
    : [{ reason: 'pin_differs_from_basis', cure: configure(...pinned) }];
}

function reviewBlockers(
  loaded: LoadedObserver,
  { history, store, rows, receipts }: GoalReview,
): AssistBlocker[] {
  const blockers: AssistBlocker[] = [];
  const add = (reason: AssistBlocker['reason'], cure: string): void => void blockers.push({ reason, cure });
  if (history.read_state === 'unavailable')
    add('run_history_unavailable', shellCommand(['ls', '-l', loaded.goal.index]));
  if (store.read_state === 'unavailable')
    add('receipts_unavailable', shellCommand(['ls', '-ld', loaded.goal.receipts]));
  const recent = rows.filter((row) => !isNeutral(row)).slice(0, RECENT_ROWS);
  const refresh = (...words: string[]): string =>
    `${drift(loaded, 'refresh', ...words)} -- YOUR_REFRESH_COMMAND`;
  if (recent.length === 0 && history.read_state !== 'unavailable')
    add('no_runs', refresh('--agent-id', 'AGENT'));
  const agent = recent.map(agentOf).find((name) => name !== '') ?? 'AGENT';
  if (recent.some((row) => agentOf(row) === '')) add('anonymous_runs', refresh('--agent-id', agent));
  if (recent.some(isInvalidTurn)) add('invalid_turns', refresh('--agent-id', agent, '--turn-id', 'TURN'));
  if (recent.length > 0 && !recent.some((row) => agentOf(row) !== '' && claimOf(row)))
    add('no_typed_claims', refresh('--agent-id', agent, ...typedClaim));
  if (receipts.length > 0 && receipts.every(({ reason }) => reason === 'pending_evaluation'))
    add('nothing_drained', drift(loaded, 'drain'));
  return blockers;
}

const typedClaim = [
  '--progress-result-class',
  'advanced',
  '--progress-hypothesis-id',
  'HYPOTHESIS',
  '--progress-evidence-id',
  'EVIDENCE',
];

const isInvalidTurn = (row: JsonObject): boolean =>
  turnIdentity(row).kind === 'invalid' && textOf(row['generated_at']) !== '';

const drift = ({ state }: LoadedObserver, command: string, ...words: string[]): string =>
  shellCommand(['drift', command, '--state-dir', state, ...words]);

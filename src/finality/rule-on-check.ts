import type { CheckLedger, CheckReason, CheckRequest, CheckRuling } from '../contract/check.ts';
import { checkLedgerVersion } from '../contract/check.ts';
import type { ActionKind, FinalityRule } from '../contract/finality.ts';
import { type FinalityRun, isHeldBack, judgeTurn } from './judge-turn.ts';

/** What a call means for a ledger: the answer, and the ledger as it is to be kept, denied calls included. */
export interface RuledCheck {
  readonly ruling: CheckRuling;
  readonly ledger: CheckLedger;
}

/** A dependency in one of these states holds nothing up any more. Any other word counts as open. */
export const closedDependencyStates: readonly string[] = [
  'none',
  'not_required',
  'succeeded',
  'success',
  'successful',
  'completed',
  'complete',
  'done',
  'finished',
  'accepted',
  'passed',
  'ok',
  'ready',
  'available',
  'published',
  'released',
  'deployed',
  'delivered',
  'merged',
  'approved',
  'resolved',
  'satisfied',
];

const denials: Readonly<Record<FinalityRule, CheckReason>> = {
  must_finish: 'accepted_without_dependency',
  identical_repoll: 'identical_repoll',
  stuck_work: 'stuck_work',
};

export const newLedger = (id: string): CheckLedger => ({
  schema_version: checkLedgerVersion,
  id,
  updated_at: '',
  open: false,
  stages: [],
  checks: {},
  identical_repolls: 0,
  previous: null,
  entry: null,
  resets: [],
});

/**
 * Judges one call against its ledger by the three rules, and keeps `complete` from a run that still has an open
 * required dependency in any of its stages. Null when the call contradicts the stage's contract: whether a
 * dependency is required is fixed by the stage's first call, not decided anew in the middle of a run.
 */
export function ruleOnCheck(
  ledger: CheckLedger,
  request: CheckRequest,
  fingerprint: string,
  now: string,
): RuledCheck | null {
  const { observation, action } = request;
  const required = observation.dependency_required_for_next_stage;
  const fixed = ledger.stages.find(({ stage }) => stage === observation.stage);
  if (fixed && fixed.dependency_required !== required) return null;

  const stages = [
    ...ledger.stages.filter(({ stage }) => stage !== observation.stage),
    {
      stage: observation.stage,
      dependency_required: required,
      dependency_state: observation.dependency_state,
    },
  ];
  const run: FinalityRun = {
    checks: new Map(Object.entries(ledger.checks)),
    identicalRepolls: ledger.identical_repolls,
    previous: ledger.previous,
  };
  const { rule, checksForState } = judgeTurn(run, { observation, fingerprint, action });
  const hasOpenDependency = stages.some(isOpen);
  const reason = reasonOf(rule, action, hasOpenDependency) ?? grantReason(ledger, request, fingerprint);
  const decision = decisionOf(reason);
  const entry = {
    id: request.id,
    status: request.status ?? observation.dependency_state,
    output: request.output ?? ledger.entry?.output ?? null,
    normalized_state: observation,
    dependency_required: required,
    next_action: action,
    expected_transition: request.expectedTransition ?? ledger.entry?.expected_transition ?? null,
    checks_for_state: checksForState,
    escalation_trigger: request.escalationTrigger ?? ledger.entry?.escalation_trigger ?? null,
  };
  const closes = action === 'complete' || (action === 'deliver' && !hasOpenDependency);
  return {
    ruling: {
      id: request.id,
      fingerprint,
      decision,
      reason,
      allowed_actions: allowedActions(decision, action),
      checks_for_state: checksForState,
      identical_repolls: run.identicalRepolls,
      entry,
    },
    ledger: {
      ...ledger,
      updated_at: now,
      open: !(decision === 'allow' && closes),
      stages,
      checks: Object.fromEntries(run.checks),
      identical_repolls: run.identicalRepolls,
      previous: run.previous,
      entry,
    },
  };
}

const isOpen = (stage: CheckLedger['stages'][number]): boolean =>
  stage.dependency_required && !closedDependencyStates.includes(stage.dependency_state.trim().toLowerCase());

function reasonOf(
  rule: FinalityRule | null,
  action: ActionKind,
  hasOpenDependency: boolean,
): CheckReason | null {
  if (rule !== null) return denials[rule];
  return action === 'complete' && hasOpenDependency ? 'required_dependency_open' : null;
}

function grantReason(
  ledger: CheckLedger,
  { observation, action }: CheckRequest,
  fingerprint: string,
): CheckReason {
  if (action === 'check' && !observation.dependency_required_for_next_stage) return 'dependency_not_required';
  if (action === 'check' && !isHeldBack(observation)) return 'not_blocking';
  if (ledger.previous === null) return 'first_observation';
  if (ledger.previous.fingerprint !== fingerprint) return 'state_changed';
  return action === 'check' ? 'first_observation' : 'not_blocking';
}

function decisionOf(reason: CheckReason): CheckRuling['decision'] {
  if (reason === 'accepted_without_dependency') return 'must_finish';
  const denied: readonly CheckReason[] = ['identical_repoll', 'stuck_work', 'required_dependency_open'];
  return denied.includes(reason) ? 'deny' : 'allow';
}

function allowedActions(decision: CheckRuling['decision'], action: ActionKind): ActionKind[] {
  if (decision === 'allow') return [action];
  return decision === 'must_finish' ? ['advance', 'deliver', 'complete'] : ['mechanism_change', 'escalate'];
}

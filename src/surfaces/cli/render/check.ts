import type { CheckLedger, CheckReason, CheckRuling } from '../../../contract/check.ts';
import type { FinalityRule } from '../../../contract/finality.ts';

const reasons: Readonly<Record<CheckReason, string>> = {
  first_observation: 'this state is seen for the first time',
  state_changed: 'the state has changed',
  dependency_not_required: 'nothing waits for this dependency',
  not_blocking: 'no rule limits this action on this state',
  identical_repoll: 'this very state has been checked already',
  stuck_work: 'the same action on the same state twice in a row',
  accepted_without_dependency: 'the deliverable is accepted and nothing required is open',
  required_dependency_open: 'a required dependency is still open',
};

/** One ruling in a line or two: what, why, and what is allowed instead. */
export function describeRuling(ruling: CheckRuling): string {
  const { decision, reason, allowed_actions: allowed, checks_for_state: checks } = ruling;
  const words = { allow: 'allowed', deny: 'denied', must_finish: 'must finish now' };
  const instead = decision === 'allow' ? '' : `\nallowed instead: ${allowed.join(', ')}`;
  return `${words[decision]}: ${reasons[reason]} (${reason}; checks of this state: ${checks})${instead}`;
}

/** An entry as a short table. */
export function describeLedger({ id, open, entry, identical_repolls: repolls, resets }: CheckLedger): string {
  const rows: [string, string][] = [
    ['id', id],
    ['open', open ? 'yes' : 'no'],
  ];
  if (entry) {
    const { stage, deliverable_state: deliverable, dependency_state: dependency } = entry.normalized_state;
    rows.push(
      ['stage', `${stage}, deliverable ${deliverable}`],
      ['dependency', `${dependency}, ${entry.dependency_required ? 'required' : 'not required'}`],
      ['status', entry.status],
      ['output', entry.output ?? '–'],
      ['next action', entry.next_action],
      ['expected', entry.expected_transition ?? '–'],
      ['escalate when', entry.escalation_trigger ?? '–'],
      ['checks', `${entry.checks_for_state} of this state, ${repolls} identical re-polls in all`],
    );
  }
  for (const { at, reason } of resets) rows.push(['reset', `${at} ${reason}`]);
  return rows.map(([name, value]) => `${name.padEnd(14)}${value}`).join('\n');
}

interface Transcript {
  readonly passed: boolean;
  readonly failed_rule?: FinalityRule;
  readonly failed_turn?: number;
  readonly checks_for_state: number;
}

const broken: Readonly<Record<FinalityRule, string>> = {
  must_finish: 'had to finish: the deliverable was accepted and nothing required was open',
  identical_repoll: 'checked a state that had been checked already',
  stuck_work: 'did the same on the same state twice in a row',
};

/** The verdict over a whole run. */
export function describeTranscript({
  passed,
  failed_rule: rule,
  failed_turn: turn,
  checks_for_state: checks,
}: Transcript): string {
  if (passed || !rule) return `passed (most checks of one state: ${checks})`;
  return `failed at turn ${turn}, counted from 0: it ${broken[rule]} (${rule}; checks of that state: ${checks})`;
}

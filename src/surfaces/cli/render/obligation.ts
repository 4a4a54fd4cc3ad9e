import type { OpenObligation } from '../../../goal/open-obligations.ts';

/** An obligation for its owner: what is owed and why, then every way out as a command. */
export function obligationText(obligation: OpenObligation): string {
  const { obligation_id, agent_id, recommended_action, exits, last_refusal: refusal } = obligation;
  const refused = refusal
    ? [`Last claim refused: ${(refusal.reason_code ?? 'it changed nothing').replaceAll('_', ' ')}.`]
    : [];
  return [
    `Obligation ${obligation_id} of ${agent_id}`,
    whyOpen(obligation),
    capitalize(recommended_action),
    ...refused,
    '',
    'Any of these closes it; put your own ids in place of those that begin with new- or scope-:',
    ...exits.flatMap(({ meaning, command }) => ['', `# ${meaning}`, command]),
  ].join('\n');
}

/** The same for the agent's next prompt: what is asked of it, without a word about stopping. */
export function obligationPrompt(obligation: OpenObligation): string {
  const {
    recommended_action,
    requirements,
    exits,
    progress_window: window,
    progress_baseline: baseline,
  } = obligation;
  const known = (window ?? [baseline]).flatMap(({ evidence_ids }) => evidence_ids ?? []);
  return [
    `Your goal has an open obligation (${obligation.obligation_id}). ${whyOpen(obligation)}`,
    capitalize(recommended_action),
    ...requirements.planning_guidance,
    requirements.writeback_contract.rule,
    ...(known.length > 0 ? [`Evidence ids already cited: ${[...new Set(known)].join(', ')}.`] : []),
    'Close it with one of these commands, your own ids in place of those that begin with new- or scope-:',
    ...exits.map(({ command }) => command),
  ].join('\n');
}

function whyOpen({ triggers: [trigger] }: OpenObligation): string {
  if (trigger.kind === 'typed_progress_repeat')
    return `The same claim was made ${trigger.run_count} turns running.`;
  const { total } = trigger.unevaluated_transitions;
  const beside = total > 0 ? ` (${total} more could not be evaluated)` : '';
  return `${trigger.run_count} reviewed transitions showed no progress${beside}, the newest of ${trigger.latest_generated_at}.`;
}

const capitalize = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

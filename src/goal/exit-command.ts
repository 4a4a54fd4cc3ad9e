import type { DischargeExit } from '../sentinel/discharge-exits.ts';
import type { GoalReview } from './goal-review.ts';
import { shellCommand, shellCommandWithInput } from './shell-words.ts';

/** Who would use an exit, and where. */
export interface ExitContext {
  readonly goalId: string;
  readonly agentId: string;
  readonly obligationId: string;
  readonly state: string;
  readonly runtimeRoot: string;
  readonly review: Pick<GoalReview, 'host' | 'place'>;
}

/** The command that takes an exit: drift's own, or the refresh of LoopX that carries the claim. */
export function exitCommand(exit: Omit<DischargeExit, 'outcome' | 'meaning'>, context: ExitContext): string {
  const { host } = context.review;
  const base = host === 'loopx' ? loopxWords(context) : driftWords(context);
  const claimed = [...base, ...progressWords(exit.observation ?? {})];
  if (!exit.vision) return shellCommand(claimed);
  const visionWords = host === 'loopx' ? ['--agent-vision-json', '/dev/stdin'] : ['--vision', '-'];
  return shellCommandWithInput([...claimed, ...visionWords], JSON.stringify(exit.vision, null, 2));
}

const driftWords = ({ state, agentId, obligationId }: ExitContext): string[] => [
  ...['drift', 'ack', '--state-dir', state, '--agent-id', agentId],
  ...['--obligation-id', obligationId],
];

const loopxWords = ({ goalId, agentId, runtimeRoot, review }: ExitContext): string[] => [
  ...['loopx', '--registry', review.place.file, '--runtime-root', runtimeRoot, '--format', 'json'],
  ...['refresh-state', '--goal-id', goalId, '--agent-id', agentId, '--progress-scope', 'agent_lane'],
  ...['--classification', 'bounded_replan_progress'],
];

/** A claim as the flags that both hosts take (contract §2). */
function progressWords(observation: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(observation).flatMap(([key, value]) => {
    if (key === 'evidence_ids') return (value as string[]).flatMap((id) => ['--progress-evidence-id', id]);
    if (key === 'coverage_complete') return value === true ? ['--progress-coverage-complete'] : [];
    return [`--progress-${key.replaceAll('_', '-')}`, String(value)];
  });
}

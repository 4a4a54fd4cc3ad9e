import type { Supervision, SupervisionStep, TurnEnd, TurnFlag, TurnReading } from '../../../contract/turn.ts';

const ends: Readonly<Record<TurnEnd, string>> = {
  stop: 'the turn stopped by itself',
  aborted: 'somebody or something interrupted the turn',
  compaction: 'the turn is parked at a compaction and waits to be continued',
  error: 'the turn died of an error',
  unfinished: 'the turn began, and nothing ended it',
};

const flags: Readonly<Record<TurnFlag, string>> = {
  no_assistant: 'the log holds no message of the agent',
  awaiting_tool: 'the last message waits for a tool',
  max_tokens: 'the last message was cut at its length limit',
  truncated_tail: 'the end of the log is cut off',
  null_last_message: 'the host closed the turn without a last message',
};

/** The word, what it means, and what makes it less certain. */
export function describeReading({
  end,
  error_message: error,
  flags: set,
  format,
  evidence,
}: TurnReading): string {
  const lines = [`${end}: ${ends[end]}${format === null ? ' (an empty log)' : ` (${format})`}`];
  if (error !== null) lines.push(`error: ${error}`);
  if (evidence.turn_id !== null) lines.push(`turn ${evidence.turn_id}`);
  for (const flag of set) lines.push(`${flag}: ${flags[flag]}`);
  return lines.join('\n');
}

/** The end and every step that led to it. */
export function describeSupervision({
  interrupted,
  error,
  resumes,
  capped,
  end,
  steps,
}: Supervision): string {
  const how = interrupted
    ? 'paused: the turn was interrupted and nobody said how to go on'
    : `${end}: ${ends[end]}`;
  const lines = [how, ...steps.map(describeStep)];
  if (capped) lines.push(`gave up after ${resumes} resumes`);
  if (error !== null) lines.push(`error: ${error}`);
  return lines.join('\n');
}

function describeStep(step: SupervisionStep): string {
  if (step.kind === 'resume') return `resumed after a compaction (${step.n})`;
  if (step.kind === 'watchdog_wait')
    return `the watchdog ${step.recovered ? 'recovered the turn' : 'did not recover it'}`;
  if (step.kind === 'ask') return step.answered ? 'steered by an answer' : 'asked, and nobody answered';
  return 'what was sent changed nothing in the log';
}

import pc from 'picocolors';
import type { EventSummary, Fact } from '../../../contract/judged-event.ts';
import type { FileDiff } from '../../../readmodel/event-detail.ts';
import type { Io } from '../io.ts';
import { eventWord } from './words.ts';

interface Shown extends EventSummary {
  readonly captured_at: string;
  readonly host: string;
  readonly contract_revision: string;
  readonly revision_is_current: boolean;
  readonly model: string | null;
  readonly question_version: string | null;
  readonly label: { readonly truth: string; readonly note: string | null } | null;
  readonly diffs: readonly FileDiff[];
}

/** One event for people: who, what came of it, why, and what changed. */
export function renderEvent(event: Shown, io: Io): string {
  const paint = pc.createColors(io.colour);
  return [
    `${paint.bold(eventWord(event))}   event #${event.sequence}`,
    '',
    ...identity(event),
    '',
    ...reasons(event),
    '',
    ...event.diffs.flatMap((diff) => renderDiff(diff, paint)),
  ]
    .join('\n')
    .trimEnd();
}

function identity(event: Shown): string[] {
  const { run } = event;
  const rows: [string, string | null][] = [
    ['event', event.event_id],
    ['evidence', event.evidence_id],
    ['captured', `${event.captured_at} on a ${event.host} host`],
    ['turn', run?.turn_instance_id ?? null],
    ['agent', run?.agent_id ?? null],
    ['todo', run?.todo_id ?? null],
    ['command', commandWords(event)],
    ['revision', `${event.contract_revision}${event.revision_is_current ? '' : ' (not the current basis)'}`],
    [
      'judged by',
      event.evaluator && event.evaluator !== 'none'
        ? `${event.evaluator}, ${event.model}, ${event.question_version}`
        : null,
    ],
    ['label', event.label && `${event.label.truth}${event.label.note ? `: ${event.label.note}` : ''}`],
  ];
  return rows.flatMap(([name, text]) => (text === null ? [] : [`${name.padEnd(11)}${text}`]));
}

function commandWords({ command }: EventSummary): string | null {
  if (command === null) return null;
  return command.signal ? `ended by ${command.signal}` : `exit ${command.exit_code}`;
}

function reasons(event: Shown): string[] {
  const { noul, choice } = event.judgments;
  const head = event.reason ? [`reason     ${event.reason}`] : [];
  const numbers = noul
    ? [
        `judged     behavior_change ${noul.behavior_change}, serves_acceptance ${noul.serves_acceptance}, evidence_increment ${noul.evidence_increment}`,
      ]
    : [];
  const relation = choice ? [`           relation ${choice.relation}, increment ${choice.increment}`] : [];
  return [...head, ...numbers, ...relation, ...event.facts.map(factLine)];
}

function factLine({ fact, path, level, detail, renames }: Fact): string {
  const where = path ? `${path}: ` : '';
  const names = renames
    ? ` (${Object.entries(renames)
        .map(([from, to]) => `${from} → ${to}`)
        .join(', ')})`
    : '';
  return `- ${where}${level ? `${level} ` : ''}${fact.replaceAll('_', ' ')}${detail ? `: ${detail}` : ''}${names}`;
}

type Paint = ReturnType<typeof pc.createColors>;

function renderDiff({ path, change, diff, unavailable }: FileDiff, paint: Paint): string[] {
  if (diff === null)
    return [`${path} (${change}): no diff, ${(unavailable ?? 'unknown').replaceAll('_', ' ')}`];
  const lines = diff.split('\n').filter((line) => !line.startsWith('====='));
  return lines.map((line) => {
    if (line.startsWith('+')) return paint.green(line);
    return line.startsWith('-') ? paint.red(line) : line;
  });
}

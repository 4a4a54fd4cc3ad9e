import pc from 'picocolors';
import type { EventSummary, Fact } from '../../../contract/judged-event.ts';
import type { EventDetail, FileDiff } from '../../../readmodel/event-detail.ts';
import { factWords } from '../../../readmodel/fact-words.ts';
import type { Io } from '../io.ts';
import { plain, wrap } from './fit.ts';
import { eventWord } from './words.ts';

const WIDTH = 80;

/** One event for people: who, what came of it, why, and what changed. `brief` leaves its digests out. */
export function renderEvent(event: EventDetail, io: Io, { brief = false } = {}): string {
  const paint = pc.createColors(io.colour);
  return [
    `${paint.bold(eventWord(event))}   event #${event.sequence}`,
    '',
    ...identity(event, brief),
    '',
    ...reasons(event),
    '',
    ...event.diffs.flatMap((diff) => renderDiff(diff, paint)),
  ]
    .join('\n')
    .trimEnd();
}

function identity(event: EventDetail, brief: boolean): string[] {
  const { run } = event;
  const rows: [string, string | null][] = [
    ['event', brief ? null : event.event_id],
    ['evidence', brief ? null : event.evidence_id],
    ['captured', `${event.captured_at} on a ${event.host} host`],
    ['turn', run?.turn_instance_id ?? null],
    ['agent', run?.agent_id ?? null],
    ['todo', run?.todo_id ?? null],
    ['command', commandWords(event)],
    ['revision', brief && event.revision_is_current ? null : revisionWords(event)],
    [
      'judged by',
      !brief && event.evaluator && event.evaluator !== 'none'
        ? `${event.evaluator}, ${event.model}, ${event.question_version}`
        : null,
    ],
    ['label', event.label && `${event.label.truth}${event.label.note ? `: ${event.label.note}` : ''}`],
  ];
  return rows.flatMap(([name, text]) => (text === null ? [] : [`${name.padEnd(11)}${plain(text)}`]));
}

const revisionWords = ({ contract_revision, revision_is_current }: EventDetail): string =>
  `${contract_revision}${revision_is_current ? '' : ' (not the current basis)'}`;

function commandWords({ command }: EventSummary): string | null {
  if (command === null) return null;
  return command.signal ? `ended by ${command.signal}` : `exit ${command.exit_code}`;
}

function reasons(event: EventDetail): string[] {
  const { noul, choice } = event.judgments;
  const head = event.reason ? [`reason     ${event.reason}`] : [];
  const numbers = noul
    ? [
        `judged     behavior_change ${noul.behavior_change}, serves_acceptance ${noul.serves_acceptance},`,
        `           evidence_increment ${noul.evidence_increment}`,
      ]
    : [];
  const relation = choice ? [`           relation ${choice.relation}, increment ${choice.increment}`] : [];
  return [...head, ...numbers, ...relation, ...event.facts.flatMap(factLines)];
}

/** A finding beside a dash, on as many lines as it takes. */
const factLines = (fact: Fact): string[] =>
  wrap(plain(factWords(fact)), WIDTH - 2).map((line, at) => `${at === 0 ? '- ' : '  '}${line}`);

type Paint = ReturnType<typeof pc.createColors>;

function renderDiff({ path, change, diff, unavailable }: FileDiff, paint: Paint): string[] {
  if (diff === null)
    return [`${plain(path)} (${change}): no diff, ${(unavailable ?? 'unknown').replaceAll('_', ' ')}`];
  const lines = diff.split('\n').filter((line) => !/^(=====|Index: )/.test(line));
  return lines.map((line) => paintLine(plain(line), paint));
}

/** The sign at the start of a line says what the colour says. */
function paintLine(line: string, paint: Paint): string {
  if (line.startsWith('+++') || line.startsWith('---')) return paint.bold(line);
  if (line.startsWith('+')) return paint.green(line);
  if (line.startsWith('-')) return paint.red(line);
  return line.startsWith('@@') ? paint.cyan(line) : line;
}

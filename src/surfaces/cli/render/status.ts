import Table from 'cli-table3';
import pc from 'picocolors';
import type { LabelledEvent, StatusDocument } from '../../../readmodel/status.ts';
import type { Io } from '../io.ts';
import { borderless } from './borderless.ts';
import { cut, pad, plain, wrap } from './fit.ts';
import { duration, eventWord, shortId } from './words.ts';

const WIDTH = 80;
const FILES_COLUMNS = 15;

/** The status for people: the answer first, then what it rests on. Fits 80 columns; colour carries nothing alone. */
export function renderStatus(status: StatusDocument, io: Io, all: boolean): string {
  const paint = pc.createColors(io.colour);
  const strong =
    status.verdict === 'DRIFTING' || status.verdict === 'OBLIGATION OPEN' ? paint.yellow : paint.bold;
  const [first = '', ...more] = wrap(`${status.verdict} (${plain(status.because)})`, WIDTH);
  const head = `${strong(status.verdict)}${first.slice(status.verdict.length)}`;
  return [head, ...more, '', ...facts(status), '', ...table(status.events, all)].join('\n').trimEnd();
}

function facts(status: StatusDocument): string[] {
  const {
    backlog,
    drain,
    drift_counts: drift,
    capture_failures: failures,
    counts,
    label_counts: labels,
  } = status;
  const listed = (record: Readonly<Record<string, number>>): string =>
    Object.entries(record)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => `${name.replaceAll('_', ' ')} ${count}`)
      .join(', ') || 'none';
  const rows: [string, string][] = [
    [
      'goal',
      `${status.goal_id}   evaluator ${status.evaluator}${status.mode === 'off' ? '   observer off' : ''}`,
    ],
    ['revision', shortId(status.contract_revision)],
    ['transitions', listed(counts)],
    ['drift', `noul ${drift.noul}, choice ${drift.choice}`],
    ['backlog', backlogWords(backlog, drain)],
    ...requestRow(status),
    ...checkRows(status),
  ];
  rows.push(...reviewRows(status));
  if (failures.total > 0) rows.push(['not captured', listed(failures.by_reason)]);
  if (labels.drift + labels.on_goal + labels.unknown > 0) rows.push(['labels', listed(labels)]);
  for (const { file, reason } of status.rejected_receipts)
    rows.push(['rejected', `${cut(file, 30)}: ${reason}`]);
  return rows.map(([name, text]) => cut(`${pad(name, 13)}${plain(text)}`, WIDTH));
}

/** Dependencies that are polled; a wait is neither progress nor drift. */
const checkRows = ({ open_checks: { entries } }: StatusDocument): [string, string][] =>
  entries.map(({ id, status, dependency_required: required }) => [
    'waits on',
    `${id}: ${status}${required ? ', required' : ''}`,
  ]);

/** Only where a model may be asked. */
function requestRow({ requests }: StatusDocument): [string, string][] {
  if (requests === null) return [['requests', 'the budget cannot be read; nothing is sent']];
  return requests.max === 0 ? [] : [['requests', `${requests.used} of ${requests.max} used`]];
}

/** What the policy side adds; nothing while it is off. */
function reviewRows({
  external_progress_review: review,
  obligations,
  assist_blockers: blockers,
  invalid_configuration: invalid,
}: StatusDocument): [string, string][] {
  const rows: [string, string][] = [];
  if (invalid) rows.push(['policy', 'off: its configuration is malformed']);
  if (!review) return rows;
  const { mode, signal, drift_threshold, contract_revision: pin, read_state } = review;
  const pinned = pin === null ? 'nothing pinned' : `pinned ${shortId(pin)}`;
  rows.push(['policy', `${mode}   ${signal} x ${drift_threshold}   ${pinned}   receipts ${read_state}`]);
  if (review.rebind_hint) rows.push(['', 'newer receipts are bound to another revision than the pin']);
  for (const { obligation_id, agent_id, last_refusal: refusal } of obligations) {
    rows.push(['obligation', `${obligation_id}   ${agent_id}`], ['', 'every way out: drift obligation']);
    if (refusal)
      rows.push([
        '',
        `last claim refused: ${(refusal.reason_code ?? 'it changed nothing').replaceAll('_', ' ')}`,
      ]);
  }
  if (mode === 'assist' && obligations.length === 0)
    for (const { reason } of blockers) rows.push(['blocked', reason.replaceAll('_', ' ')]);
  return rows;
}

function backlogWords(
  { queued, oldest_age_seconds: age }: StatusDocument['backlog'],
  drain: StatusDocument['drain'],
): string {
  const waiting = queued === 0 ? 'none' : `${queued} waiting, the oldest for ${duration(age)}`;
  return `${waiting}; ${drain.busy ? 'drain is at work' : drain.last_run_at ? `last drain ${drain.last_run_at.replace(/\.\d+Z$/, 'Z')}` : 'drain has not run yet'}`;
}

function table(events: readonly LabelledEvent[], all: boolean): string[] {
  if (events.length === 0) return ['No transition yet.'];
  const shown = all ? events : events.slice(0, 20);
  const columns: readonly [string, number, (event: LabelledEvent) => string][] = [
    ['#', 5, ({ sequence }) => String(sequence)],
    ['event', 13, ({ event_id }) => shortId(event_id)],
    ['turn', 14, ({ run }) => run?.turn_instance_id ?? '-'],
    ['files', FILES_COLUMNS, filesWord],
    ['verdict', 25, eventWord],
    ['label', 8, ({ label }) => label ?? ''],
  ];
  const drawn = new Table({
    head: columns.map(([name]) => name),
    colWidths: columns.map(([, width]) => width),
    chars: borderless,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 1 },
  });
  drawn.push(...shown.map((event) => columns.map(([, width, text]) => cut(plain(text(event)), width - 1))));
  const more = events.length - shown.length;
  const lines = drawn
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
  return [...lines, ...(more > 0 ? [`… ${more} more: drift status --all`] : [])];
}

function filesWord({ files }: LabelledEvent): string {
  const [first] = files;
  if (!first) return '-';
  const name = plain(first.path.split('/').at(-1) ?? first.path);
  const others = files.length === 1 ? '' : ` +${files.length - 1}`;
  return `${cut(name, FILES_COLUMNS - 1 - others.length)}${others}`;
}

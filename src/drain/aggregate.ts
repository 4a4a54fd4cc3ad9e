import type { EventSummary, JournalEntry } from '../contract/judged-event.ts';
import { replaceFile } from '../spool/durable-file.ts';
import type { StoredEvent } from '../spool/event-format.ts';
import type { SpoolIo } from '../spool/spool-io.ts';
import type { StateLayout } from '../spool/state-layout.ts';

export const aggregateSchemaVersion = 'drift_aggregate_v1';
const KEPT_SUMMARIES = 50;

/** What drain has found so far, so that `status` costs the same after ten events and after a hundred thousand. */
export interface Aggregate {
  readonly schema_version: typeof aggregateSchemaVersion;
  /** Sequence number of the last event folded in, -1 at the start. */
  readonly through: number;
  /** Judged events by receipt status. */
  readonly counts: Readonly<Record<string, number>>;
  /** Events without a verdict, by reason. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly drift_counts: { readonly noul: number; readonly choice: number };
  readonly undecided: { readonly noul: number; readonly choice: number };
  readonly receipts_written: number;
  /** Queued events folded in, whatever became of them. */
  readonly queued_done: number;
  /** Newest first. */
  readonly newest: readonly EventSummary[];
}

export const emptyAggregate: Aggregate = {
  schema_version: aggregateSchemaVersion,
  through: -1,
  counts: {},
  reasons: {},
  drift_counts: { noul: 0, choice: 0 },
  undecided: { noul: 0, choice: 0 },
  receipts_written: 0,
  queued_done: 0,
  newest: [],
};

const add = (counts: Readonly<Record<string, number>>, key: string): Record<string, number> => ({
  ...counts,
  [key]: (counts[key] ?? 0) + 1,
});

/** Folds one finished event in. Events at or below `through` change nothing, so that a replay is harmless. */
export function foldEvent(aggregate: Aggregate, stored: StoredEvent, entry: JournalEntry | null): Aggregate {
  const { event } = stored;
  if (event.sequence <= aggregate.through) return aggregate;
  const through = { ...aggregate, through: event.sequence };
  if (event.status === 'checkpoint') return through;
  const summary = summarize(stored, entry);
  const newest = [summary, ...aggregate.newest].slice(0, KEPT_SUMMARIES);
  const { noul, choice } = summary.drift_signal;
  // What needed no judging is counted by the running totals of the chain.
  const judged = event.status === 'queued' ? entry?.receipt : undefined;
  const { status, reason } = judged ?? { status: null, reason: null };
  const completed = status === 'completed';
  return {
    ...through,
    newest,
    counts: status === null ? aggregate.counts : add(aggregate.counts, status),
    reasons: status === null || reason === null ? aggregate.reasons : add(aggregate.reasons, reason),
    drift_counts: {
      noul: aggregate.drift_counts.noul + Number(noul === true),
      choice: aggregate.drift_counts.choice + Number(choice === true),
    },
    undecided: {
      noul: aggregate.undecided.noul + Number(completed && noul === null),
      choice: aggregate.undecided.choice + Number(completed && choice === null),
    },
    receipts_written: aggregate.receipts_written + 1,
    queued_done: aggregate.queued_done + Number(event.status === 'queued'),
  };
}

/** Folds a damaged event in: nothing is known of it but that it was there. */
export function foldDamaged(aggregate: Aggregate, sequence: number, summary: EventSummary): Aggregate {
  if (sequence <= aggregate.through) return aggregate;
  return {
    ...aggregate,
    through: sequence,
    counts: add(aggregate.counts, 'not_evaluated'),
    reasons: add(aggregate.reasons, 'corrupt_event'),
    queued_done: aggregate.queued_done + 1,
    newest: [summary, ...aggregate.newest].slice(0, KEPT_SUMMARIES),
  };
}

/** One event as `status` shows it. */
export function summarize({ event }: StoredEvent, entry: JournalEntry | null): EventSummary {
  const { run, command } = event;
  return {
    event_id: event.event_id,
    evidence_id: event.evidence_id,
    sequence: event.sequence,
    status: entry?.receipt.status ?? event.status,
    reason: entry?.receipt.reason ?? null,
    evaluator: entry?.evaluator ?? null,
    drift_signal: entry?.receipt.drift_signal ?? { noul: null, choice: null },
    judgments: entry?.receipt.judgments ?? { choice: null, noul: null },
    facts: [...chainFacts(event), ...(entry?.facts ?? [])],
    run: run && {
      generated_at: run.generated_at,
      turn_instance_id: run.turn_instance_id,
      agent_id: run.agent_id,
      todo_id: run.todo_id,
    },
    command: command && { exit_code: command.exit_code, signal: command.signal },
    files: event.files.flatMap(({ path, change }) => (change ? [{ path, change }] : [])),
  };
}

function chainFacts({ chain, waiting }: StoredEvent['event']): { fact: string; detail: string }[] {
  const facts: { fact: string; detail: string }[] = [];
  if (chain.revisit)
    facts.push({
      fact: 'revisit',
      detail: `the files are as they were ${chain.state_visits - 1} time(s) before`,
    });
  if (chain.repetition > 1)
    facts.push({ fact: 'repeat', detail: `this very change for the ${chain.repetition}th time` });
  if (chain.cycle) facts.push({ fact: 'cycle', detail: 'a full round trip for the second time or more' });
  if (waiting) facts.push({ fact: 'waiting', detail: 'a required dependency is pending' });
  return facts;
}

/** Null: missing or of another version; drain rebuilds it from the journal. */
export function parseAggregate(bytes: Buffer | null): Aggregate | null {
  try {
    const value = JSON.parse(bytes?.toString('utf8') ?? '') as Aggregate;
    return value.schema_version === aggregateSchemaVersion ? value : null;
  } catch {
    return null;
  }
}

export function writeAggregate(io: SpoolIo, layout: StateLayout, aggregate: Aggregate): void {
  replaceFile(io, layout.aggregate, Buffer.from(`${JSON.stringify(aggregate)}\n`), {
    staging: layout.staging,
  });
}

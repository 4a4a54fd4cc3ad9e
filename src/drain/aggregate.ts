import type { EventSummary, JournalEntry } from '../contract/judged-event.ts';
import { removeQuietly, stageFile } from '../spool/durable-file.ts';
import type { StoredEvent } from '../spool/event-format.ts';
import { readPrivateFile } from '../spool/private-file.ts';
import type { SpoolIo } from '../spool/spool-io.ts';
import type { StateLayout } from '../spool/state-layout.ts';

export const aggregateSchemaVersion = 'drift_aggregate_v1';
const KEPT_SUMMARIES = 50;
const MAX_AGGREGATE_BYTES = 67_108_864;

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
  /** Queued entries up to `through`, in the count that the chain itself keeps. */
  readonly queued_through: number;
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
  queued_through: 0,
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
  const through = { ...aggregate, through: event.sequence, queued_through: event.totals.queued };
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
  };
}

/**
 * Folds in what is there but cannot be judged. The chain counts an entry that it cannot read as a queued one
 * (`totals`), so this does too; the next entry's own count sets it right where that was wrong.
 *
 * @param entries how many places of the chain it takes
 */
export function foldUnjudged(
  aggregate: Aggregate,
  summary: EventSummary,
  { through, entries }: { readonly through: number; readonly entries: number },
): Aggregate {
  if (through <= aggregate.through) return aggregate;
  const more = (record: Readonly<Record<string, number>>, key: string): Record<string, number> => ({
    ...record,
    [key]: (record[key] ?? 0) + entries,
  });
  return {
    ...aggregate,
    through,
    queued_through: aggregate.queued_through + entries,
    counts: more(aggregate.counts, summary.status),
    reasons: summary.reason === null ? aggregate.reasons : more(aggregate.reasons, summary.reason),
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

/** Null: missing, cut off or of another version; drain makes it anew from the chain and the journal. */
export function readAggregate(io: SpoolIo, layout: StateLayout): Aggregate | null {
  try {
    const bytes = readPrivateFile(io, layout.aggregate, MAX_AGGREGATE_BYTES);
    const value = JSON.parse(bytes?.toString('utf8') ?? '') as Aggregate;
    return value.schema_version === aggregateSchemaVersion ? value : null;
  } catch {
    return null;
  }
}

/** Replaces the aggregate; its bytes are durable before its name is. */
export function writeAggregate(io: SpoolIo, layout: StateLayout, aggregate: Aggregate): void {
  const staged = stageFile(io, layout.staging, [Buffer.from(`${JSON.stringify(aggregate)}\n`)]);
  try {
    io.renameSync(staged, layout.aggregate);
  } catch (error) {
    removeQuietly(io, staged);
    throw error;
  }
}

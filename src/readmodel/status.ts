import type { CheckLedger } from '../contract/check.ts';
import type { DriftEvent } from '../contract/event.ts';
import type { EventSummary } from '../contract/judged-event.ts';
import { type Aggregate, emptyAggregate, readAggregate } from '../drain/aggregate.ts';
import { type RequestBudget, readRequestBudget } from '../evaluate/system-one/ledger/request-budget.ts';
import { openChecks } from '../finality/check.ts';
import type { AssistBlocker } from '../goal/assist-blockers.ts';
import type { Where } from '../goal/goal-review.ts';
import type { OpenObligation } from '../goal/open-obligations.ts';
import { readJsonFile, readOwnFile } from '../json/read-json-file.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import type { ReviewSummary } from '../sentinel/review-summary.ts';
import { isDrainBusy } from '../spool/drain-lock.ts';
import { readTail } from '../spool/enqueue.ts';
import { readEvent } from '../spool/read-event.ts';
import { Journal } from '../spool/receipt-journal.ts';
import { nodeIo } from '../spool/spool-io.ts';
import { countFailures, duplicateTally, readTally } from '../spool/tally.ts';
import type { Agreement } from './agreement.ts';
import { countByStatus, countReasons, countUnevaluated } from './count-events.ts';
import { withResult } from './find-event.ts';
import { compareLabels, countLabels } from './label-agreement.ts';
import { readLabels, type Truth } from './labels.ts';
import { findRejectedReceipts, type RejectedReceipt } from './receipt-folder.ts';
import { readReviewStatus } from './review-status.ts';
import { readVerdict, type Verdict } from './verdict.ts';

const SHOWN_EVENTS = 50;
const MAX_WALK_TO_OLDEST = 256;

type CheckEntry = NonNullable<CheckLedger['entry']>;

export type LabelledEvent = EventSummary & { readonly label: Truth | null };

/** `drift status --json` (design §5). Costs the same after ten events and after a hundred thousand, unless `all`. */
export interface StatusDocument {
  /** Always this. */
  readonly schema: 'drift_status_v1';
  /** The owner's one word. */
  readonly verdict: Verdict['word'];
  /** What the newest attempt alone says, an open obligation or not. */
  readonly attempt: Verdict['attempt'];
  /** Why, in words. */
  readonly because: string;
  /** The goal. */
  readonly goal_id: string;
  /** Of the configuration: off or shadow. */
  readonly mode: string;
  /** Who judges today. */
  readonly evaluator: string;
  /** sha256 of the basis as it is now. */
  readonly contract_revision: string;
  /** Transitions by status. */
  readonly counts: Readonly<Record<string, number>>;
  /** Exactly ten reasons, each with its count. */
  readonly unevaluated: Readonly<Record<string, number>>;
  /** The finer reasons of receipts. */
  readonly reasons: Readonly<Record<string, number>>;
  /** Drift signals so far. */
  readonly drift_counts: { readonly noul: number; readonly choice: number };
  /** What drain has not judged. */
  readonly backlog: { readonly queued: number; readonly oldest_age_seconds: number | null };
  /** When it ran last, and whether one is at work now. */
  readonly drain: { readonly last_run_at: string | null; readonly busy: boolean };
  /** What became of the newest refresh; null before the first. */
  readonly last_refresh: {
    readonly at: string;
    readonly outcome: string;
    readonly reason: string | null;
  } | null;
  /** Refreshes without an event. */
  readonly capture_failures: { readonly total: number; readonly by_reason: Readonly<Record<string, number>> };
  /** Path to its state at the newest checkpoint. */
  readonly coverage: Readonly<Record<string, object>>;
  /** Receipts with a final word. */
  readonly receipts_written: number;
  /** Files in the receipt folder that are no receipts of this goal. */
  readonly rejected_receipts: readonly RejectedReceipt[];
  /** Labels by truth. */
  readonly label_counts: Readonly<Record<Truth, number>>;
  /** How labels and each signal agree. */
  readonly label_agreement: { readonly noul: Agreement; readonly choice: Agreement };
  /** What the policy sees; only where it is not off. */
  readonly external_progress_review?: ReviewSummary;
  /** Only where the policy block is malformed and taken for off. */
  readonly invalid_configuration?: true;
  /** What keeps assist from firing, each with the command that cures it. */
  readonly assist_blockers: readonly AssistBlocker[];
  /** Open obligations, one per lane. */
  readonly obligations: readonly OpenObligation[];
  /** Requests to a model that were or may have been sent, and how many there may be; null: that cannot be read. */
  readonly requests: RequestBudget | null;
  /** Dependencies that are polled and not yet complete. */
  readonly open_checks: { readonly entries: readonly CheckEntry[]; readonly damaged: number };
  /** Newest first: 50, or all with --all. */
  readonly events: readonly LabelledEvent[];
}

interface Options {
  readonly all: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly where: Where;
}

/** Reads everything that the owner sees of one observer. Nothing is written. */
export async function readStatus(
  loaded: LoadedObserver,
  { all, now, where }: Options,
): Promise<StatusDocument> {
  const { layout, observer, config, state } = loaded;
  const aggregate = readAggregate(nodeIo, layout) ?? emptyAggregate;
  const tail = readTail(nodeIo, layout);
  const newest = tail?.newestIntact?.event ?? null;
  const review = readReviewStatus(loaded, where);
  const events = listEvents(loaded, {
    aggregate,
    tail: tail?.sequence ?? -1,
    limit: all ? Number.POSITIVE_INFINITY : SHOWN_EVENTS,
  }).map((event) => (review.withdrawn.has(event.event_id) ? withdraw(event) : event));
  const labels = readLabels(layout);
  const tally = readTally(layout);
  const queued = Math.max(0, (newest?.totals.queued ?? 0) - aggregate.queued_through);
  const lastRefresh = readLastRefresh(loaded);
  const lastDrainAt = readLastDrain(loaded);
  const verdict = readVerdict({
    events,
    signal: review.signal,
    lastRefresh,
    lastDrainAt,
    obligations: review.obligations,
  });
  const { [duplicateTally]: duplicates = 0, ...failures } = tally;
  return {
    schema: 'drift_status_v1',
    verdict: verdict.word,
    attempt: verdict.attempt,
    because: verdict.because,
    goal_id: observer.goal_id,
    mode: config.mode,
    evaluator: config.evaluator,
    contract_revision: loaded.contractRevision,
    counts: countByStatus(aggregate, newest, { queued, duplicates }),
    unevaluated: countUnevaluated(aggregate, newest, { queued, review }),
    reasons: countReasons(aggregate, newest),
    drift_counts: aggregate.drift_counts,
    backlog: {
      queued,
      oldest_age_seconds: queued === 0 ? null : ageOfOldest(loaded, aggregate.through, now),
    },
    drain: { last_run_at: lastDrainAt, busy: await isDrainBusy(state, layout) },
    last_refresh: lastRefresh,
    capture_failures: { total: countFailures(tally), by_reason: failures },
    coverage: coverageOf(newest),
    receipts_written: aggregate.receipts_written,
    rejected_receipts: findRejectedReceipts(loaded, events),
    label_counts: countLabels(labels),
    label_agreement: compareLabels(loaded, labels, events),
    ...(review.external_progress_review ? { external_progress_review: review.external_progress_review } : {}),
    ...(review.invalid_configuration ? { invalid_configuration: true as const } : {}),
    assist_blockers: review.assist_blockers,
    obligations: review.obligations,
    requests: readRequestBudget(layout.requests, config.system_one?.max_requests ?? 0),
    open_checks: openChecks(state),
    events: events.map((event) => ({ ...event, label: labels.get(event.event_id)?.truth ?? null })),
  };
}

/** Newest first: what drain has not reached, then what it kept; with a larger limit, the chain itself. */
function listEvents(
  { layout }: LoadedObserver,
  {
    aggregate,
    tail,
    limit,
  }: { readonly aggregate: Aggregate; readonly tail: number; readonly limit: number },
): EventSummary[] {
  const events: EventSummary[] = [];
  const journal = new Journal(nodeIo, layout);
  const floor = limit > SHOWN_EVENTS ? 0 : aggregate.through + 1;
  for (let sequence = tail; sequence >= floor && events.length < limit; sequence -= 1) {
    const decoded = readEvent(nodeIo, layout, sequence);
    if (decoded?.ok && decoded.stored.event.status !== 'checkpoint')
      events.push(withResult(journal, decoded.stored).summary);
  }
  return floor === 0 ? events : [...events, ...aggregate.newest].slice(0, limit);
}

/** A verdict by a criterion that has changed says nothing any more; its receipt stays as it is (design §8). */
const withdraw = (event: EventSummary): EventSummary => ({
  ...event,
  status: 'stale',
  reason: 'criterion_basis_unavailable',
  drift_signal: { noul: null, choice: null },
});

function ageOfOldest({ layout }: LoadedObserver, through: number, now: number): number | null {
  for (let sequence = through + 1; sequence <= through + MAX_WALK_TO_OLDEST; sequence += 1) {
    const decoded = readEvent(nodeIo, layout, sequence);
    if (decoded === null) return null;
    if (decoded.ok && decoded.stored.event.status === 'queued')
      return Math.max(0, Math.round((now - Date.parse(decoded.stored.event.captured_at)) / 1_000));
  }
  return null;
}

function coverageOf(newest: DriftEvent | null): Record<string, object> {
  return Object.fromEntries(
    (newest?.files ?? []).map(({ path, role, state, reason, stat }) => [
      path,
      { state, role, ...(reason ? { reason } : {}), size_bytes: stat?.size ?? null },
    ]),
  );
}

function readLastRefresh({ layout }: LoadedObserver): StatusDocument['last_refresh'] {
  const read = readJsonFile(layout.lastRefresh, 4_096);
  if (!read.ok || typeof read.value.value !== 'object' || read.value.value === null) return null;
  const { at, outcome, reason } = read.value.value as { at?: unknown; outcome?: unknown; reason?: unknown };
  if (typeof at !== 'string' || typeof outcome !== 'string') return null;
  return { at, outcome, reason: typeof reason === 'string' ? reason : null };
}

function readLastDrain({ layout }: LoadedObserver): string | null {
  const read = readOwnFile(layout.drainState, 4_096);
  try {
    return read.ok ? (JSON.parse(read.value.toString('utf8')) as { last_run_at: string }).last_run_at : null;
  } catch {
    return null;
  }
}

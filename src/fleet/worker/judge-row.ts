import type { Config } from '../../contract/config.ts';
import type { DriftEvent } from '../../contract/event.ts';
import { type JournalEntry, journalSchemaVersion } from '../../contract/judged-event.ts';
import { journalEntry, judgeRemotely, type RemoteBench, unevaluated } from '../../drain/judge-event.ts';
import { criterionOnce } from '../../goal/bind-criterion.ts';
import { captureReceipt } from '../../receipts/capture-receipt.ts';
import { decodeEvent } from '../../spool/event-format.ts';
import type { ContentStore } from './content-store.ts';
import type { ContractStore } from './contract-store.ts';
import { configFor, evaluatorFor, type WorkerMeans } from './worker-evaluator.ts';

/**
 * Attempts that may be begun before an event is given up as poison. Far more than a single machine allows: here an attempt
 * is a lease that ended with its worker, which may have been killed for another goal's sake, with its machine, or while it
 * still loaded. At half of all leases lost, five would give up one harmless event in thirty; twenty, one in a million.
 */
const MAX_ATTEMPTS = 20;

/** An event as it is stored. */
export interface EventRow {
  readonly goal_id: string;
  readonly goal_seq: string;
  readonly host_seq: string;
  readonly status: string;
  readonly stale: string | null;
  readonly head: string | null;
  readonly terms: string;
}

/** A row with the event that its head holds; null where it holds none. */
export interface ReadRow extends EventRow {
  readonly event: DriftEvent | null;
}

/** Reads the head of a stored event, and holds it against its digest. */
export function readRow(row: EventRow): ReadRow {
  const decoded = row.head === null ? null : decodeEvent(Buffer.from(row.head), Number(row.host_seq));
  return { ...row, event: decoded?.ok ? decoded.stored.event : null };
}

/** What is stored for a finished event. `status` null: a checkpoint, which is no transition and has no receipt. */
export interface Outcome {
  readonly status: string | null;
  readonly reason: string | null;
  /** The journal line that the host will publish; null where it has nothing to publish. */
  readonly entry: string | null;
}

export interface JudgeBench {
  readonly content: ContentStore;
  readonly contracts: ContractStore;
  readonly means: WorkerMeans;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

const corrupt: Outcome = { status: 'not_evaluated', reason: 'corrupt_event', entry: null };

/** Judges one stored event. Never throws for what it judges; the database's errors are thrown. */
export async function judgeRow(bench: JudgeBench, row: ReadRow, attempt: number): Promise<Outcome> {
  const { event } = row;
  if (event === null) return corrupt;
  if (event.status === 'checkpoint') return { status: null, reason: null, entry: null };
  return outcomeOf(await entryOf(bench, { row, event, attempt }));
}

function outcomeOf(entry: JournalEntry): Outcome {
  const { status, reason } = entry.receipt;
  return { status, reason, entry: JSON.stringify(entry) };
}

interface Case {
  readonly row: EventRow;
  readonly event: DriftEvent;
  readonly attempt: number;
}

async function entryOf(bench: JudgeBench, { row, event, attempt }: Case): Promise<JournalEntry> {
  const { means, contracts } = bench;
  const terms = await contracts.termsOf(row.terms);
  const config = configFor(terms, means);
  const undecided = (status: 'failed' | 'stale', reason: string): JournalEntry =>
    journalEntry(
      { loaded: { config }, now: means.now },
      { event, evaluation: unevaluated(status, reason, config), elapsedMs: 0 },
    );
  if (event.status !== 'queued') return captureEntry(event, { config, now: means.now });
  if (row.stale !== null) return undecided('stale', row.stale);
  if (terms === null) return undecided('failed', 'fleet_terms_unknown');
  if (attempt > MAX_ATTEMPTS) return undecided('failed', 'poison');
  const basis = await contracts.basis(event.contract_revision);
  if (basis === null) return undecided('failed', 'fleet_basis_unknown');
  return judge(bench, { row, event, attempt }, { config, basis });
}

async function judge(
  { means, clock, content }: JudgeBench,
  { row, event, attempt }: Case,
  loaded: RemoteBench['loaded'],
): Promise<JournalEntry> {
  const texts = await content.textsOf(row.goal_id, event);
  const bench: RemoteBench = {
    loaded,
    evaluatorFor: evaluatorFor(loaded.config, means, attempt),
    cache: { read: ({ text, sha256 }) => (text && sha256 ? (texts.get(sha256) ?? null) : null) },
    // A worker cannot ask an owner of acceptance: work under one is judged on its host or not at all.
    criterion: criterionOnce({
      basis: loaded.basis,
      config: {},
      observer: { goal_id: event.goal_id, workspace: '' },
    }),
    // The host read its guards when it shipped the event and reads them again before it publishes.
    whyStale: () => null,
    now: means.now,
    clock,
  };
  return judgeRemotely(bench, event);
}

/** What the capture already said of a transition that needs no judging. */
function captureEntry(
  event: DriftEvent,
  { config, now }: { readonly config: Config; readonly now: () => number },
): JournalEntry {
  const receipt = captureReceipt(event, {
    threshold: config.minimum_label_probability,
    signalRule: config.signal_rule,
    recordedAt: now() / 1_000,
  });
  if (receipt === null) throw new Error('a checkpoint has no receipt');
  return { schema_version: journalSchemaVersion, receipt, evaluator: 'none', facts: [] };
}

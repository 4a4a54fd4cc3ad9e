import type { PolicySignal, ProgressReviewPolicy } from '../contract/policy.ts';
import { type NormalizedReceipt, type ReceiptStatus, receiptStatuses } from '../contract/receipt.ts';
import { sortReceiptsNewestFirst } from './receipt-order.ts';

/** A receipt as status projects it: `criterion_current` is set where its criterion was compared with today's. */
export type ReviewedReceipt = NormalizedReceipt & { readonly criterion_current?: boolean };

/** `external_progress_review` of a goal (contract §9). */
export interface ReviewSummary {
  readonly schema_version: 'progress_review_status_v0';
  readonly mode: 'shadow' | 'assist';
  readonly signal: PolicySignal;
  readonly drift_threshold: number;
  readonly contract_revision: string | null;
  /** Receipts of the pinned revision, of any revision where nothing is pinned; so are the counts below. */
  readonly receipt_count: number;
  readonly pending_receipts: number;
  /** Receipts of other revisions, and those whose criterion is no longer today's. */
  readonly stale_receipts: number;
  readonly rejected_receipts: number;
  readonly status_counts: Readonly<Partial<Record<ReceiptStatus, number>>>;
  readonly drift_counts: Readonly<Record<PolicySignal, number>>;
  readonly latest: object | null;
  readonly authority: 'none';
  readonly read_state: 'observed' | 'missing' | 'unavailable';
  readonly read_error?: 'receipt_store_unavailable';
  readonly assist_blocked_reason?: 'contract_revision_unpinned';
  readonly newest_receipt_contract_revision: string | null;
  readonly rebind_hint?: 'newer_receipts_under_unpinned_revision';
}

interface ReadReceipts {
  readonly read_state: ReviewSummary['read_state'];
  readonly receipts: readonly ReviewedReceipt[];
  readonly rejected: number;
}

/** Projects what a goal's receipts say under its policy; null in `off`, where nothing is read. */
export function summarizeReview(
  policy: ProgressReviewPolicy,
  { read_state, receipts, rejected }: ReadReceipts,
): ReviewSummary | null {
  const { mode, signal, drift_threshold, contract_revision: pin } = policy;
  if (mode === 'off') return null;
  const ordered = sortReceiptsNewestFirst(receipts);
  const bound = ordered.filter((receipt) => pin === null || receipt.contract_revision === pin);
  const outdated = bound.filter((receipt) => receipt.criterion_current === false).length;
  const newest = ordered[0]?.contract_revision ?? null;
  return {
    schema_version: 'progress_review_status_v0',
    mode,
    signal,
    drift_threshold,
    contract_revision: pin,
    receipt_count: bound.length,
    pending_receipts: bound.filter(({ reason }) => reason === 'pending_evaluation').length,
    stale_receipts: ordered.length - bound.length + outdated,
    rejected_receipts: rejected,
    status_counts: countStatuses(bound),
    drift_counts: { noul: countDrift(bound, 'noul'), choice: countDrift(bound, 'choice') },
    latest: bound[0] ? projectReceipt(bound[0]) : null,
    authority: 'none',
    read_state,
    ...(read_state === 'unavailable' ? { read_error: 'receipt_store_unavailable' as const } : {}),
    ...(mode === 'assist' && pin === null
      ? { assist_blocked_reason: 'contract_revision_unpinned' as const }
      : {}),
    newest_receipt_contract_revision: newest,
    ...(pin !== null && newest !== null && newest !== pin
      ? { rebind_hint: 'newer_receipts_under_unpinned_revision' as const }
      : {}),
  };
}

function countStatuses(receipts: readonly ReviewedReceipt[]): Partial<Record<ReceiptStatus, number>> {
  const counts = receiptStatuses.map(
    (status) => [status, receipts.filter((each) => each.status === status).length] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

const countDrift = (receipts: readonly ReviewedReceipt[], signal: PolicySignal): number =>
  receipts.filter((receipt) => receipt.drift_signal[signal] === true).length;

function projectReceipt(receipt: ReviewedReceipt): object {
  const { event_id, evidence_id, status, reason, run, judgments, drift_signal, model, question_version } =
    receipt;
  const { evidence_scope, criterion_current } = receipt;
  return {
    event_id,
    evidence_id,
    status,
    reason,
    run,
    judgments,
    drift_signal,
    model,
    question_version,
    ...(evidence_scope ? { evidence_scope } : {}),
    ...(criterion_current === undefined ? {} : { criterion_current }),
  };
}

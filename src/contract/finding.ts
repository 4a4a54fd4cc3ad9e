import type { Failure, FailureReason } from './failure.ts';

/**
 * What `drift doctor` can find beyond what stops a command: a closed list. The wording of each, and what to do, lives in
 * `surfaces/cli/render/finding.ts`, which a test keeps complete.
 */
export const findingReasons = [
  'not_private',
  'irregular_file',
  'stranger',
  'leftovers',
  'head_wrong',
  'cursor_damaged',
  'aggregate_damaged',
  'retention_damaged',
  'journal_damaged',
  'labels_damaged',
  'entry_damaged',
  'entry_missing',
  'entry_repeated',
  'text_damaged',
  'text_missing',
  'result_missing',
  'marker_missing',
  'receipt_missing',
  'receipt_rejected',
  'receipt_differs',
  'lock_stale',
  'lock_from_future',
  'requests_damaged',
  'checks_damaged',
  'low_space',
  'low_inodes',
  'network_filesystem',
  'workspace_moved',
  'secret_missing',
  'threshold_high',
  'exit_unreachable',
] as const;

export type FindingReason = (typeof findingReasons)[number];

/** One thing that doctor found: data only. */
export interface Finding extends Omit<Failure, 'reason'> {
  readonly reason: FindingReason | FailureReason;
  /** True: it mends itself or only advises, and is no reason for an exit status. */
  readonly isNotice?: true;
}

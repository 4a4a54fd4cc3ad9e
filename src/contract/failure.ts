/**
 * Why a command of drift could not do its work: a closed list. The wording of each lives in
 * `surfaces/cli/render/failure.ts`, which a test keeps complete.
 */
export const failureReasons = [
  'usage',
  'state_not_found',
  'state_exists',
  'state_unreadable',
  'state_version_unknown',
  'state_busy',
  'state_rolled_back',
  'state_not_private',
  'runtime_replaced',
  'receipt_conflict',
  'filesystem_unsupported',
  'config_invalid',
  'config_of_the_original',
  'basis_invalid',
  'matrix_invalid',
  'recording_invalid',
  'observer_invalid',
  'path_refused',
  'glob_matches_nothing',
  'workspace_unreadable',
  'json_invalid',
  'file_missing',
  'file_too_large',
  'file_not_regular',
  'file_owner_differs',
  'file_unreadable',
  'goal_not_found',
  'registry_invalid',
  'registry_lock_unavailable',
  'acceptance_unavailable',
  'event_not_found',
  'event_ambiguous',
  'event_damaged',
  'event_not_judged',
  'write_failed',
  'disk_full',
  'not_a_terminal',
  'package_missing',
  'drain_mode_local',
  'drain_mode_shipped',
  'database_url_invalid',
  'database_unsafe',
  'database_unreachable',
  'database_refused',
  'database_not_migrated',
  'database_version_unknown',
  'fleet_receipts_outstanding',
  'ledger_unavailable',
  'dependency_contract_changed',
  'entry_not_found',
  'debt_not_found',
  'debt_ambiguous',
  'log_format_unknown',
  'turn_not_found',
  'host_command_failed',
  'git_failed',
  'port_unavailable',
  'receipts_unreadable',
  'obligation_not_found',
] as const;

export type FailureReason = (typeof failureReasons)[number];

/** An expected failure: data only. `detail` is a short fact in the words of whoever noticed it. */
export interface Failure {
  readonly reason: FailureReason;
  readonly file?: string;
  /** Dotted path of the key, option or argument at fault. */
  readonly field?: string;
  /** Line and column, both counted from 1. */
  readonly position?: { readonly line: number; readonly column: number };
  readonly detail?: string;
  /** The nearest known name to one that is not known. */
  readonly nearest?: string;
}

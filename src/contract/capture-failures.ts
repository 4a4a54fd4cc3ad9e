import type { CaptureFailureReason } from './event.ts';

/** Why a refresh could not be captured, in words for the owner. The command ran all the same. */
export const captureFailures: Readonly<Record<CaptureFailureReason, string>> = {
  files_unstable: 'a file changed while it was read',
  over_budget: 'more bytes than scope.max_bytes or scope.max_delta_bytes',
  too_many_files: 'more files than scope.max_files',
  symlink: 'a declared path leads through a symbolic link',
  not_regular: 'a declared path is no regular file',
  names_collide: 'two names that the filesystem takes for one',
  glob_over_limit: 'a pattern reaches more than 20 000 entries',
  workspace_missing: 'the workspace is gone',
  workspace_replaced: 'another folder stands where the workspace was',
  runtime_replaced: 'a link or a file stands where a folder of the runtime was',
  changed_during_command: 'a declared file changed while the refresh command ran',
  basis_unreadable: 'the basis file cannot be read',
  run_ambiguous: 'more than one new run row could be the one of this command',
  run_not_found: 'the command left no run row',
  run_unreadable: 'the run record cannot be read',
  stdout_not_json: 'what the command printed is no strict JSON',
  low_space: 'too little free space',
  contended: 'other refreshes were faster for two seconds',
  write_failed: 'the event could not be written',
  internal: 'a fault in drift',
};

import type { Failure, FailureReason } from '../../../contract/failure.ts';

interface Wording {
  readonly message: string;
  /** The next step. */
  readonly hint: string;
}

const at = ({ file, position }: Failure): string =>
  `${file ?? 'the input'}${position ? `:${position.line}:${position.column}` : ''}`;
const because = ({ detail }: Failure): string => (detail ? `: ${detail}` : '');
const named = ({ field }: Failure): string => (field ? ` at ${field}` : '');
const near = ({ nearest }: Failure, otherwise: string): string =>
  nearest ? `Did you mean ${nearest}?` : otherwise;

const wordings: Readonly<Record<FailureReason, (failure: Failure) => Wording>> = {
  usage: (f) => ({ message: f.detail ?? 'wrong usage', hint: near(f, 'See drift --help.') }),
  state_not_found: (f) => ({
    message: `no observer found${f.file ? ` in ${f.file}` : ''}`,
    hint: 'Run drift init in the workspace, or name the folder with --state-dir or DRIFT_STATE_DIR.',
  }),
  state_exists: (f) => ({
    message: `state_exists: ${at(f)} already holds an observer`,
    hint: 'Use drift init --replace to archive it and start a new one, or another --state-dir.',
  }),
  state_unreadable: (f) => ({
    message: `the state in ${at(f)} cannot be read${because(f)}`,
    hint: 'Run drift doctor for what is damaged and what to do.',
  }),
  state_version_unknown: (f) => ({
    message: `${at(f)} is written by another version of drift${because(f)}`,
    hint: 'Nothing was touched. Use the drift that wrote it, or drift doctor --migrate.',
  }),
  state_busy: (f) => ({
    message: `another process holds ${at(f)}${because(f)}`,
    hint: 'Wait for it to finish and try again.',
  }),
  state_rolled_back: (f) => ({
    message: `entries that were judged are missing in ${at(f)}${because(f)}`,
    hint: 'Put the newer state back if there is one; drift drain --accept-loss goes on from what is here.',
  }),
  state_not_private: (f) => ({
    message: `${at(f)} is not private${because(f)}`,
    hint: 'Others could have written to it. If they have not: chmod -R go= on it; else start anew with drift init.',
  }),
  runtime_replaced: (f) => ({
    message: `${at(f)} is a link or a file where a folder of the runtime should be`,
    hint: 'Nothing was written through it. Put the folder back, or bind the observer anew with drift init --replace.',
  }),
  receipt_conflict: (f) => ({
    message: `${at(f)} holds a receipt that is not the one of this event`,
    hint: 'It was left as it is, and later events wait. Move it away if it is not wanted, then run drift drain again.',
  }),
  filesystem_unsupported: (f) => ({
    message: `the filesystem of ${at(f)} cannot hold the state${because(f)}`,
    hint: 'Choose a --state-dir on a local filesystem with hard links.',
  }),
  config_invalid: (f) => ({
    message: `${at(f)} is not a valid configuration${named(f)}${because(f)}`,
    hint: near(f, 'Correct the key; drift configure shows all keys and their defaults.'),
  }),
  config_of_the_original: (f) => ({
    message: `${at(f)} is a configuration of loopx-jev (loopx_jev_drift_config_v0), which drift does not read`,
    hint: `Put this in its place:\n${f.detail ?? ''}`,
  }),
  basis_invalid: (f) => ({
    message: `${at(f)} is not a valid basis${named(f)}${because(f)}`,
    hint: near(
      f,
      'A basis holds objective, acceptance (one criterion or more), and if wanted non_goals, horizon, evidence.',
    ),
  }),
  matrix_invalid: (f) => ({
    message: `${at(f)} is not a valid comparison matrix${named(f)}${because(f)}`,
    hint: 'drift compare reads loopx_jev_sentinel_matrix_v0; see fixtures/compare/ for one.',
  }),
  recording_invalid: (f) => ({
    message: `${at(f)} cannot be read as recordings${named(f)}${because(f)}`,
    hint: 'Name a folder of loopx_jev_recorded_response_v0 files with --responses, or record one with --live.',
  }),
  observer_invalid: (f) => ({
    message: `${at(f)} is not a valid observer binding${named(f)}${because(f)}`,
    hint: 'Restore the file, or use drift init --replace to start a new observer.',
  }),
  path_refused: (f) => ({
    message: `the declared path ${f.field ?? ''} is refused${because(f)}`,
    hint: 'Declare regular files inside the workspace, relative to it, without .., .git or symbolic links.',
  }),
  glob_matches_nothing: (f) => ({
    message: `the pattern ${f.field ?? ''} matches no file${because(f)}`,
    hint: 'Check the pattern and --workspace; quote the pattern so that the shell leaves it alone.',
  }),
  workspace_unreadable: (f) => ({
    message: `the workspace ${at(f)} cannot be used${because(f)}`,
    hint: 'Name an existing folder with --workspace; after a move, drift rebind --workspace DIR.',
  }),
  json_invalid: (f) => ({
    message: `${at(f)} is not strict JSON${named(f)}${because(f)}`,
    hint: 'Correct the file; nothing was changed.',
  }),
  file_missing: (f) => ({ message: `${at(f)} does not exist`, hint: 'Check the path.' }),
  file_too_large: (f) => ({
    message: `${at(f)} is too large${because(f)}`,
    hint: 'Make it smaller; the limit keeps every run bounded.',
  }),
  file_not_regular: (f) => ({
    message: `${at(f)} is not a regular file${because(f)}`,
    hint: 'Symbolic links, pipes and devices are not followed; name the file itself.',
  }),
  file_owner_differs: (f) => ({
    message: `${at(f)} belongs to another user`,
    hint: 'Only your own state is read. Change its owner, or use another --state-dir.',
  }),
  file_unreadable: (f) => ({
    message: `${at(f)} cannot be read${because(f)}`,
    hint: 'Check its permissions.',
  }),
  goal_not_found: (f) => ({
    message: `no goal ${f.field ?? ''} in ${at(f)}`,
    hint: near(f, 'Name one of its goals with --goal-id, or another file with --registry.'),
  }),
  registry_invalid: (f) => ({
    message: `${at(f)} is not a goal registry${named(f)}${because(f)}`,
    hint: 'Correct the file; nothing was changed.',
  }),
  registry_lock_unavailable: (f) => ({
    message: `the lock that LoopX holds on ${at(f)} cannot be taken here${because(f)}`,
    hint: `Nothing was changed. Run this instead:\n${f.nearest ?? ''}`,
  }),
  acceptance_unavailable: (f) => ({
    message: `the acceptance owner (${at(f)}) gives no requirements${named(f)}${because(f)}`,
    hint: 'Correct acceptance_owner in the configuration, or the criteria that the basis names. A basis never falls back to its own wording.',
  }),
  event_not_found: (f) => ({
    message: `no event ${f.field ?? ''} here${because(f)}`,
    hint: 'drift status --all lists every event with its id.',
  }),
  event_ambiguous: (f) => ({
    message: `${f.field ?? ''} names more than one event or is too short`,
    hint: 'Give at least 8 characters, and more until only one fits.',
  }),
  event_damaged: (f) => ({
    message: `the event in ${at(f)} is damaged${because(f)}`,
    hint: 'Its receipt says corrupt_event; later events are not affected. drift doctor names every damaged file.',
  }),
  event_not_judged: (f) => ({
    message: `there are events that still wait to be judged, and the text in ${at(f)} may be needed for them`,
    hint: 'Run drift drain first.',
  }),
  write_failed: (f) => ({
    message: `${at(f)} could not be written${because(f)}`,
    hint: 'Check permissions and free space; nothing half-written is left.',
  }),
  disk_full: (f) => ({
    message: `not enough free space for ${at(f)}${because(f)}`,
    hint: 'Free some space; no event was lost.',
  }),
  not_a_terminal: (f) => ({
    message: `this needs a terminal to ask on${because(f)}`,
    hint: 'Give the answers as options; see --help.',
  }),
  package_missing: (f) => ({
    message: `the optional package ${f.field ?? ''} is not installed`,
    hint: 'Fleets need two packages beside drift-sentinel: npm install pg@8.23.1 graphile-worker@0.17.3',
  }),
  drain_mode_local: (f) => ({
    message: `the events of this observer are judged on this machine (${at(f)})`,
    hint: 'Run drift fleet join to have the fleet judge them, or drift drain without --ship.',
  }),
  drain_mode_shipped: (f) => ({
    message: `the events of this observer are judged by the fleet (${at(f)})`,
    hint: 'Run drift drain --ship, or drift fleet leave to judge them here again.',
  }),
  database_url_invalid: (f) => ({
    message: `the variable ${f.field ?? ''} does not hold the URL of a PostgreSQL database${because(f)}`,
    hint: 'Set it to postgres://USER@HOST/DATABASE?sslmode=verify-full; a password belongs in it or in PGPASSWORD.',
  }),
  database_unsafe: (f) => ({
    message: `the database cannot be used safely${because(f)}`,
    hint: 'See docs/fleet.md: TLS with sslmode=verify-full beyond this machine, synchronous_commit on, UTF8.',
  }),
  database_unreachable: (f) => ({
    message: `the database does not answer${because(f)}`,
    hint: 'Nothing is lost: the spool keeps growing, and the next drift drain --ship goes on where this one ended.',
  }),
  database_refused: (f) => ({
    message: `the database refused${because(f)}`,
    hint: 'Check the login, its rights (docs/fleet.md, roles) and the server log.',
  }),
  database_not_migrated: (f) => ({
    message: `the database does not hold the fleet of this version${because(f)}`,
    hint: 'Let its owner run drift fleet migrate.',
  }),
  database_version_unknown: (f) => ({
    message: `the database is of a newer version of drift${because(f)}`,
    hint: 'Nothing was touched. Install the drift that migrated it.',
  }),
  fleet_receipts_outstanding: (f) => ({
    message: `the fleet has not answered for ${f.detail ?? 'some'} shipped event(s)`,
    hint: 'Run drift drain --ship until none is left, or drift fleet leave --abandon to judge them here.',
  }),
  ledger_unavailable: (f) => ({
    message: `the check ledger in ${at(f)} cannot be used${because(f)}`,
    hint: 'Nothing was started. Mend the folder or its permissions, or use another --state-dir.',
  }),
  dependency_contract_changed: (f) => ({
    message: `${f.field ?? 'the dependency flag'} contradicts the stage's contract${because(f)}`,
    hint: 'Whether a dependency is required is fixed by the first call of a stage; drift check reset starts anew.',
  }),
  entry_not_found: (f) => ({
    message: `there is no check entry ${f.field ?? ''} here`,
    hint: 'The first drift check with an id makes its entry.',
  }),
  debt_not_found: (f) => ({
    message: `there is no open debt ${f.field ?? ''} here`,
    hint: 'drift gate debts lists every open debt with its id.',
  }),
  debt_ambiguous: (f) => ({
    message: `${f.field ?? ''} names more than one open debt`,
    hint: 'Give the whole id; drift gate debts lists them.',
  }),
  log_format_unknown: (f) => ({
    message: `${at(f)} is no session log that drift knows${because(f)}`,
    hint: 'Name the format with --format pi, claude or codex.',
  }),
  turn_not_found: (f) => ({
    message: `the turn ${f.field ?? ''} is not in ${at(f)}`,
    hint: 'Leave --turn out for the last turn.',
  }),
  host_command_failed: (f) => ({
    message: `the command of ${f.field ?? 'the host'} failed${because(f)}`,
    hint: 'Run it by hand to see why; nothing more was sent.',
  }),
  receipts_unreadable: (f) => ({
    message: `the review evidence in ${at(f)} cannot be read${because(f)}`,
    hint: 'Check its permissions; nothing earlier is shown in its place.',
  }),
  obligation_not_found: (f) => ({
    message: `no obligation ${f.field ?? ''} in the run history${because(f)}`,
    hint: near(f, 'drift obligation prints the open one; drift readiness lists those that ended.'),
  }),
  port_unavailable: (f) => ({
    message: `nothing can listen on 127.0.0.1:${f.field ?? ''}${because(f)}`,
    hint: 'Choose another --port, or leave it out for any free one.',
  }),
  git_failed: (f) => ({
    message: `git could not read the history in ${at(f)}${because(f)}`,
    hint: 'Run it inside a git repository, with git on the PATH and a revision that is there.',
  }),
};

/** The one place where a failure becomes words: what happened, which file or field, what to do next. */
export function describeFailure(failure: Failure): Wording {
  return wordings[failure.reason](failure);
}

/** The document that `--json` prints for a failure (design §5). */
export function failureDocument(failure: Failure): object {
  const { message, hint } = describeFailure(failure);
  const { reason, file, field, position } = failure;
  return {
    ok: false,
    error: {
      reason,
      file: file ?? null,
      field: field ?? null,
      ...(position ? { position } : {}),
      message,
      hint,
    },
  };
}

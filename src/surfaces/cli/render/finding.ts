import { type FailureReason, failureReasons } from '../../../contract/failure.ts';
import { type Finding, type FindingReason, findingReasons } from '../../../contract/finding.ts';
import { describeFailure } from './failure.ts';

interface Wording {
  readonly message: string;
  /** What to do about it. */
  readonly nextStep: string;
}

const at = ({ file }: Finding): string => file ?? 'the state';
const because = ({ detail }: Finding): string => (detail ? `: ${detail}` : '');

const REPUBLISH = 'drift drain --republish writes what is missing anew, from the results that are known.';

const wordings: Readonly<Record<FindingReason, (finding: Finding) => Wording>> = {
  not_private: (f) => ({
    message: `${at(f)} is not private${because(f)}`,
    nextStep: 'Others may have read it. Take it back: chown to yourself, then chmod go= on it.',
  }),
  irregular_file: (f) => ({
    message: `${at(f)} is ${f.detail ?? 'something else'}, which drift never makes there`,
    nextStep:
      'Move it away; what drift needs there it makes anew, and an entry that is lost counts as damaged.',
  }),
  stranger: (f) => ({
    message: `${at(f)} is nothing that drift made`,
    nextStep: 'It is ignored. Move it away if nobody needs it there.',
  }),
  leftovers: (f) => ({
    message: `${at(f)} holds what killed writers left${because(f)}`,
    nextStep: 'Nothing: the next drift drain sweeps it.',
  }),
  head_wrong: (f) => ({
    message: `${at(f)} does not lead to an entry`,
    nextStep:
      'Nothing: it is only a hint. The newest entry was found without it, and the next refresh writes it anew.',
  }),
  cursor_damaged: (f) => ({
    message: `how far drain has come cannot be read from ${at(f)}${because(f)}`,
    nextStep:
      'Run drift drain: it finds its place from the results, and judges nothing twice. Remove the file if it is damaged.',
  }),
  aggregate_damaged: (f) => ({
    message: `the counts in ${at(f)} cannot be read`,
    nextStep: 'Run drift drain: it counts anew from the chain and the results.',
  }),
  retention_damaged: (f) => ({
    message: `${at(f)} does not say how far old texts were dropped`,
    nextStep:
      'Run drift drain: it starts over from the first entry, which drops nothing that it would not drop anyway.',
  }),
  journal_damaged: (f) => ({
    message: `${at(f)} holds lines that are cut off or changed${because(f)}`,
    nextStep: 'Nothing: a killed drain leaves such a line. A result that is lost with one is named apart.',
  }),
  labels_damaged: (f) => ({
    message: `${at(f)} holds lines that are no labels${because(f)}`,
    nextStep:
      'They are skipped. Give those labels again with drift label, and delete the lines if they disturb you.',
  }),
  entry_damaged: (f) => ({
    message: `the entry in ${at(f)} is damaged${because(f)}`,
    nextStep:
      'Leave it in place, so that the sequence has no hole. Its event counts as not evaluated (corrupt_event), later ones go on; a backup of this very file makes it whole.',
  }),
  entry_missing: (f) => ({
    message: `the chain has a hole at ${at(f)}${because(f)}`,
    nextStep:
      'A disk has lost what it promised to keep. Later entries go on; a backup of these very files closes the hole.',
  }),
  entry_repeated: (f) => ({
    message: `the entry in ${at(f)} has the id of an earlier one${because(f)}`,
    nextStep: 'Nothing: the receipt of the first stands, this one counts as a duplicate.',
  }),
  text_damaged: (f) => ({
    message: `the text of ${f.detail ?? 'a file'} in ${at(f)} is not what was captured`,
    nextStep:
      'It is never judged or shown. A verdict that was made from it stands; a backup of this very file makes it whole.',
  }),
  text_missing: (f) => ({
    message: `the text of ${f.detail ?? 'a file'} is still needed and not in ${at(f)} any more`,
    nextStep:
      'The event that changes this file next counts as not evaluated (incomplete_coverage); drift checkpoint takes a new baseline for those after it.',
  }),
  result_missing: (f) => ({
    message: `drain has gone past ${at(f)}, and its result is not known`,
    nextStep: 'Its receipt stands if it is there. Put rcpt/ back from a backup if you have one.',
  }),
  marker_missing: (f) => ({
    message: `the marker ${at(f)} is missing${because(f)}`,
    nextStep: `The same turn, captured again, would get a second entry. ${REPUBLISH}`,
  }),
  receipt_missing: (f) => ({
    message: `the receipt ${at(f)} is missing${because(f)}`,
    nextStep: `If whoever reads receipts takes them away, nothing. Otherwise: ${REPUBLISH}`,
  }),
  receipt_rejected: (f) => ({
    message: `${at(f)} is no valid receipt${because(f)}`,
    nextStep: `It is never counted. Move it away; ${REPUBLISH}`,
  }),
  receipt_differs: (f) => ({
    message: `the receipt ${at(f)} does not say what was judged`,
    nextStep: `Somebody has written to it. Move it away; ${REPUBLISH}`,
  }),
  lock_stale: (f) => ({
    message: `a drain ended without giving ${at(f)} back${because(f)}`,
    nextStep: 'Nothing: the next drift drain takes it over.',
  }),
  lock_from_future: (f) => ({
    message: `${at(f)} bears a time that lies ahead: the clock was set back`,
    nextStep:
      'Check the clock. The next drift drain watches the lock for 15 seconds and takes it over if nobody renews it.',
  }),
  requests_damaged: (f) => ({
    message: `the ledger of requests in ${at(f)} cannot be read`,
    nextStep:
      'Nothing is sent until it can. drift configure system_one.max_requests=N --execute sets the number anew.',
  }),
  checks_damaged: (f) => ({
    message: `the check ledger in ${at(f)} is damaged${because(f)}`,
    nextStep: 'drift check status names each; drift check reset starts one anew.',
  }),
  low_space: (f) => ({
    message: `there is little free space at ${at(f)}${because(f)}`,
    nextStep: 'Free some: refresh captures nothing below this limit, and says so in drift status.',
  }),
  low_inodes: (f) => ({
    message: `the filesystem of ${at(f)} has few files left to give${because(f)}`,
    nextStep: 'Every event takes one. Remove files, or move the state with drift init --state-dir.',
  }),
  network_filesystem: (f) => ({
    message: `${at(f)} lies on a network filesystem${because(f)}`,
    nextStep:
      'Links and fsync are not what they say there. Keep the state on a local filesystem (--state-dir).',
  }),
  workspace_moved: (f) => ({
    message: `the workspace ${at(f)} is gone, or a link leads elsewhere from it`,
    nextStep: 'Put it back, or tell the observer where it lies now: drift rebind --workspace DIR.',
  }),
  secret_missing: (f) => ({
    message: `the variable ${f.field ?? ''} is not set`,
    nextStep: 'Set it where drift drain runs; its value stands in no file.',
  }),
  threshold_high: (f) => ({
    message: `minimum_label_probability in ${at(f)} is above 0.85: the structural levels L4, then L3, decide nothing`,
    nextStep: 'Lower it if they should: drift configure minimum_label_probability=0.6 --execute.',
  }),
  exit_unreachable: (f) => ({
    message: `the open obligation ${f.field ?? ''} has no exit that its own rules would accept`,
    nextStep:
      'This is a fault of drift; please report it. drift configure-goal --progress-review-mode shadow lifts it.',
  }),
};

const isFailureReason = (reason: Finding['reason']): reason is FailureReason =>
  (failureReasons as readonly string[]).includes(reason) &&
  !(findingReasons as readonly string[]).includes(reason);

/** The one place where a finding becomes words: what is wrong, with which file, and what to do. */
export function describeFinding(finding: Finding): Wording {
  const { reason } = finding;
  if (!isFailureReason(reason)) return wordings[reason](finding);
  const { message, hint } = describeFailure({ ...finding, reason });
  return { message, nextStep: hint };
}

/** What the commonest reasons mean to the owner; any other one is shown as it is spelt. */
const meanings: Readonly<Record<string, string>> = {
  no_delta: 'no declared file changed',
  baseline_reset: 'a new baseline, nothing to compare with',
  branch_changed: 'the branch changed',
  overlapping_captures: 'another refresh ran at the same time',
  duplicate_evidence: 'the same change was judged before',
  incomplete_coverage: 'a changed file could not be read as text',
  structural_unproven: 'not provable offline',
  corrupt_event: 'the event is damaged',
  contract_revision_changed: 'the basis changed since',
  configuration_changed: 'the configuration changed since',
  run_record_changed: 'the run record changed since',
};

/** A reason in words: never fine, never drift. */
export const reasonWords = (reason: string | null): string =>
  reason === null ? 'no reason given' : (meanings[reason] ?? reason.replaceAll('_', ' '));

import type { Argv } from 'yargs';
import { resultClasses } from '../../contract/observation.ts';
import type { JsonObject } from '../../json/json-object.ts';

/** The flags of a typed claim, the same that `refresh` and LoopX take (contract §2). */
export const withProgressOptions = <A>(yargs: Argv<A>) =>
  yargs
    .option('progress-result-class', { choices: resultClasses, describe: 'what the turn came to' })
    .option('progress-surface-id', { type: 'string', describe: 'where the work was done' })
    .option('progress-hypothesis-id', { type: 'string', describe: 'what was tried' })
    .option('progress-probe-kind', { type: 'string', describe: 'how it was checked' })
    .option('progress-work-item-id', { type: 'string', describe: 'the todo it belongs to' })
    .option('progress-blocker-id', { type: 'string', describe: 'what blocks it' })
    .option('progress-coverage-scope-id', { type: 'string', describe: 'what was covered' })
    .option('progress-coverage-complete', { type: 'boolean', describe: 'the coverage is complete' })
    .option('progress-evidence-id', {
      type: 'string',
      array: true,
      describe: 'one piece of evidence; repeat for more',
    });

interface ProgressArguments {
  readonly progressResultClass?: string | undefined;
  readonly progressSurfaceId?: string | undefined;
  readonly progressHypothesisId?: string | undefined;
  readonly progressProbeKind?: string | undefined;
  readonly progressWorkItemId?: string | undefined;
  readonly progressBlockerId?: string | undefined;
  readonly progressCoverageScopeId?: string | undefined;
  readonly progressCoverageComplete?: boolean | undefined;
  readonly progressEvidenceId?: readonly string[] | undefined;
}

/** The claim that the flags make; null where none was given. */
export function claimFrom(args: ProgressArguments): JsonObject | null {
  const claim = {
    result_class: args.progressResultClass,
    surface_id: args.progressSurfaceId,
    hypothesis_id: args.progressHypothesisId,
    probe_kind: args.progressProbeKind,
    work_item_id: args.progressWorkItemId,
    blocker_id: args.progressBlockerId,
    coverage_scope_id: args.progressCoverageScopeId,
    coverage_complete: args.progressCoverageComplete,
    evidence_ids: args.progressEvidenceId,
  };
  const given = Object.entries(claim).filter(([, value]) => value !== undefined);
  return given.length > 0 ? Object.fromEntries(given) : null;
}

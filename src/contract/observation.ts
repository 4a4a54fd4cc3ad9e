/** The typed claim that an agent makes of its own turn (contract §2). */

export const observationSchemaVersion = 'typed_progress_observation_v0';
export const resultClasses = [
  'advanced',
  'unchanged',
  'blocked',
  'exploration_exhausted',
  'no_followup',
] as const;

export type ResultClass = (typeof resultClasses)[number];

/** The optional identifiers of a claim, each 1–128 characters out of letters, digits and `._:/-`. */
export const observationIds = [
  'surface_id',
  'hypothesis_id',
  'probe_kind',
  'work_item_id',
  'blocker_id',
  'coverage_scope_id',
] as const;

export type ObservationId = (typeof observationIds)[number];

export interface ProgressObservation extends Readonly<Partial<Record<ObservationId, string>>> {
  readonly schema_version: typeof observationSchemaVersion;
  readonly result_class: ResultClass;
  /** Distinct and sorted, at most 12; absent rather than empty. */
  readonly evidence_ids?: readonly string[];
  readonly coverage_complete?: boolean;
  /** 16 hexadecimal digits over everything above but the schema version; always recomputed. */
  readonly fingerprint: string;
}

/** Why a claim cannot be read. */
export const observationFaults = [
  'not_an_object',
  'unknown_version',
  'missing',
  'wrong_type',
  'not_allowed',
  'too_many',
  'no_identifier',
] as const;

export type ObservationFault = (typeof observationFaults)[number];

import { z } from 'zod';

/** Shapes of the comparison harness (contract §11). Unknown keys pass: files of the original may carry more. */
export const matrixSchemaVersion = 'loopx_jev_sentinel_matrix_v0';
export const recordedResponseVersion = 'loopx_jev_recorded_response_v0';
export const recordedRequestsVersion = 'drift_recorded_requests_v1';
export const comparisonVersion = 'loopx_jev_sentinel_comparison_v0';
export const expectedSummaryVersion = 'loopx_jev_sentinel_expected_summary_v0';

const text = z.string().trim().min(1).max(400);

/** Relative to the workspace or to the matrix, without a way out of it. */
const relativePath = z
  .string()
  .min(1)
  .max(1_024)
  .refine((path) => !/^\/|\\|\0/.test(path) && !path.split('/').some((part) => /^\.{0,2}$/.test(part)), {
    message: 'a relative path without empty, . or .. parts',
  });

/** Path in the workspace → fixture file beside the matrix, or null where the path is absent. */
const fileMap = z.record(relativePath, relativePath.nullable());

export const goldLabels = ['cosmetic', 'real', 'either'] as const;

const roundSchema = z.object({
  self_report: z
    .object({
      result_class: z.string().default('advanced'),
      hypothesis_id: z.string().optional(),
      surface_id: z.string().optional(),
      probe_kind: z.string().optional(),
    })
    .prefault({}),
  files: fileMap,
});

const caseSchema = z
  .object({
    case_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$/),
    kind: z.enum(['constructed', 'real_commit', 'sanitized_real_commit']),
    basis: z.object({
      objective: text,
      acceptance: z.array(text).min(1).max(8),
      non_goals: z.array(text).max(8).optional(),
    }),
    paths: z.array(relativePath).min(1).max(8),
    baseline: fileMap,
    rounds: z.array(roundSchema).min(1).max(20),
    gold: z.object({
      /** First round of drift, counted from 1; null: every round serves the goal. */
      drift_from_round: z.number().int().min(1).nullable(),
      labeler: z.string().max(80).optional(),
      note: z.string().max(400).optional(),
    }),
    /** Ours: one label per round. */
    gold_rounds: z.array(z.enum(goldLabels)).optional(),
  })
  .superRefine(({ paths, baseline, rounds, gold, gold_rounds }, context) => {
    const report = (path: (string | number)[], message: string): void =>
      context.addIssue({ code: 'custom', path, message });
    const stray = [baseline, ...rounds.map(({ files }) => files)]
      .flatMap((files) => Object.keys(files))
      .find((path) => !paths.includes(path));
    if (new Set(paths).size < paths.length) report(['paths'], 'a path stands twice');
    if (stray !== undefined) report(['paths'], `${stray} is used but not declared`);
    if ((gold.drift_from_round ?? 1) > rounds.length)
      report(['gold', 'drift_from_round'], 'there is no such round');
    if (gold_rounds && gold_rounds.length !== rounds.length)
      report(['gold_rounds'], 'one label per round is needed');
  });

/** Up to 64 cases; the original's matrices hold up to 16. */
export const matrixSchema = z
  .object({
    schema_version: z.literal(matrixSchemaVersion),
    label_probability_threshold: z.number().min(0.5).max(1).default(0.6),
    cases: z.array(caseSchema).min(1).max(64),
  })
  .refine(({ cases }) => new Set(cases.map(({ case_id }) => case_id)).size === cases.length, {
    path: ['cases'],
    message: 'a case_id stands twice',
  });

export type Matrix = z.infer<typeof matrixSchema>;
export type MatrixCase = Matrix['cases'][number];
export type GoldLabel = (typeof goldLabels)[number];

const hex64 = z.string().regex(/^[0-9a-f]{64}$/);

/** One recorded answer, filed under the digest of its request. What it says is checked by the evaluator's decoder. */
export const recordedResponseSchema = z
  .object({
    schema_version: z.literal(recordedResponseVersion).optional(),
    schema: z.literal(recordedResponseVersion).optional(),
    request_key: hex64,
    response: z.record(z.string(), z.unknown()),
  })
  .refine(({ schema_version, schema }) => (schema_version ?? schema) !== undefined);

/**
 * `requests.json` beside recordings of another tool: which request each round made. Its questions are worded by that
 * tool, so we cannot make the same request and look it up by its digest.
 */
export const recordedRequestsSchema = z.strictObject({
  schema_version: z.literal(recordedRequestsVersion),
  question_version: z.string().min(1).max(120),
  /** Case id → the request key of each round; null: that round made none. */
  cases: z.record(z.string(), z.array(hex64.nullable())),
});

export type RecordedRequests = z.infer<typeof recordedRequestsSchema>;

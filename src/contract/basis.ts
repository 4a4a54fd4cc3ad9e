import { z } from 'zod';

const sentence = z.string().trim().min(1);

/** What the owner wants (contract §10). At most 32 768 bytes; unknown keys are refused. */
export const basisSchema = z.strictObject({
  goal_id: sentence.optional(),
  objective: sentence,
  acceptance: z.array(sentence).min(1),
  non_goals: z.array(sentence).optional(),
  horizon: z.string().optional(),
  /** Files that carry evidence: relative to the workspace, at most 8, 32 768 bytes together. */
  evidence: z
    .array(z.strictObject({ ref: sentence, description: z.string().optional() }))
    .max(8)
    .optional(),
  already_known: z.union([z.string(), z.array(z.string())]).optional(),
  acceptance_scope: z
    .strictObject({
      registry_ref: sentence,
      runtime_ref: sentence,
      agent_id: sentence,
      todo_id: sentence,
      criterion_ids: z.array(sentence).min(1).max(128),
    })
    .optional(),
});

export type Basis = z.infer<typeof basisSchema>;

export const basisMaxBytes = 32_768;

import { z } from 'zod';

const sentence = z.string().trim().min(1);

/** What the owner wants (contract §10). At most 32 768 bytes; unknown keys are refused. */
export const basisSchema = z.strictObject({
  goal_id: sentence.optional().describe('the goal id, where init is given none'),
  objective: sentence.describe('what the owner wants, in one sentence'),
  acceptance: z.array(sentence).min(1).describe('criteria, one each'),
  non_goals: z.array(sentence).optional().describe('what is not wanted'),
  horizon: z.string().optional().describe('until when, in words'),
  evidence: z
    .array(z.strictObject({ ref: sentence, description: z.string().optional() }))
    .max(8)
    .optional()
    .describe('files that carry evidence, relative to the workspace'),
  already_known: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('facts that are no news'),
  acceptance_scope: z
    .strictObject({
      registry_ref: sentence,
      runtime_ref: sentence,
      agent_id: sentence,
      todo_id: sentence,
      criterion_ids: z.array(sentence).min(1).max(128),
    })
    .optional()
    .describe('whose acceptance is the criterion, instead of the words above'),
});

export type Basis = z.infer<typeof basisSchema>;

export const basisMaxBytes = 32_768;

import { z } from 'zod';

export const acceptanceOwnerVersion = 'drift_acceptance_owner_v1';

const word = z.string().trim().min(1).max(200);

/**
 * What the owner of acceptance answers (design §4 `acceptance_owner`): the requirements in force, each for one agent's
 * todo of one goal. Strict; the digests and the revision are the owner's own and are only compared.
 */
export const acceptanceOwnerSchema = z.strictObject({
  schema_version: z.literal(acceptanceOwnerVersion),
  requirements: z.array(
    z.strictObject({
      goal_id: word,
      /** Changes when the goal is made anew under the same id. */
      goal_instance_id: word.optional(),
      agent_id: word,
      todo_id: word,
      contract_digest: word,
      /** Counted from 1. */
      contract_revision: z.number().int().min(1),
      todo_semantic_digest: word,
      criteria: z
        .array(z.strictObject({ criterion_id: word, description: z.string().min(1).max(32_768) }))
        .min(1)
        .max(128),
    }),
  ),
});

export type AcceptanceRequirement = z.infer<typeof acceptanceOwnerSchema>['requirements'][number];

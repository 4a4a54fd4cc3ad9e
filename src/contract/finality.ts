import { z } from 'zod';

/** Stage actions that a turn may declare. The order is the one in which answers list them. */
export const actionKinds = [
  'work',
  'check',
  'advance',
  'deliver',
  'complete',
  'mechanism_change',
  'escalate',
] as const;
export type ActionKind = (typeof actionKinds)[number];

/** Which of the three ordered rules a turn broke. */
export const finalityRules = ['must_finish', 'identical_repoll', 'stuck_work'] as const;
export type FinalityRule = (typeof finalityRules)[number];

/** A plain object; its members count, whatever their names. */
export type SemanticState = { readonly [key: string]: unknown };

/**
 * What was seen at one turn. Exactly these five fields make a state: everything else that an observation carries
 * (timestamps, request ids, raw poll counters) is volatile and ignored.
 */
export interface Observation {
  readonly stage: string;
  readonly deliverable_state: string;
  readonly dependency_state: string;
  readonly dependency_required_for_next_stage: boolean;
  readonly semantic_state: SemanticState;
}

const isPlainObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const observationSchema: z.ZodType<Observation> = z.object({
  stage: z.string().min(1),
  deliverable_state: z.string().min(1),
  dependency_state: z.string().min(1),
  dependency_required_for_next_stage: z.boolean(),
  // Kept as it came: a copy made member by member would lose a member called `__proto__`.
  semantic_state: z.custom<SemanticState>(isPlainObject),
});

/** A whole run, as `judgeFinality` and `check --transcript` take it. */
export const finalityRunSchema = z.object({
  case_id: z.string().refine((id) => id.trim() !== ''),
  turns: z
    .array(z.object({ observation: observationSchema, action: z.object({ kind: z.enum(actionKinds) }) }))
    .min(1),
});

/** What `judgeFinality` gives back. `failed_turn` counts from 0. */
export type FinalityVerdict =
  | {
      readonly passed: boolean;
      readonly failed_rule?: FinalityRule;
      readonly failed_turn?: number;
      /** Of the failing state, or the largest of any state when the run passed. */
      readonly checks_for_state: number;
      readonly identical_repolls: number;
    }
  | { readonly ok: false; readonly reason: 'invalid_run'; readonly field: string };

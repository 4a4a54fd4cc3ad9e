import { z } from 'zod';
import { driftThresholdRange, policyModes, policySignals } from './policy.ts';

/** What the page may ask to have written (design §9): a label, and the policy. Nothing else. */

const hexId = z.string().regex(/^[0-9a-f]{8,64}$/, 'it takes 8 to 64 hexadecimal digits');

export const labelRequestSchema = z.strictObject({
  event_id: hexId,
  /** Null takes the label back. */
  truth: z.enum(['drift', 'on_goal', 'unknown']).nullable(),
  note: z.string().optional(),
});

export const policyRequestSchema = z.strictObject({
  mode: z.enum(policyModes),
  signal: z.enum(policySignals),
  drift_threshold: z.number().int().min(driftThresholdRange.min).max(driftThresholdRange.max),
  /** Empty: no pin. */
  contract_revision: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^([0-9a-f]{64})?$/, 'it takes 64 hexadecimal digits, or nothing'),
  /** False: only say what would change. */
  execute: z.boolean(),
});

export type PolicyRequest = z.infer<typeof policyRequestSchema>;

import { z } from 'zod';
import { configSchema } from './config.ts';

/**
 * What a worker needs to know of an observer's configuration, and no more: where requests go and which key they carry
 * is the worker's own configuration, or any host could have a worker's key sent to an address of its choice.
 */
export const fleetTermsSchema = z.strictObject({
  schema_version: z.literal('drift_fleet_terms_v1'),
  evaluator: configSchema.shape.evaluator,
  structural: configSchema.shape.structural,
  minimum_label_probability: configSchema.shape.minimum_label_probability,
  signal_rule: configSchema.shape.signal_rule,
  /** Whether the owner lets texts leave for a model; the worker's configuration has to allow it too. */
  allow_egress: z.boolean(),
});

export type FleetTerms = z.infer<typeof fleetTermsSchema>;

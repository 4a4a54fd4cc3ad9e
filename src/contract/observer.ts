import { z } from 'zod';

export const observerSchemaVersion = 'drift_observer_v1';

/** `observer.json`: what one observer is bound to (design §3). Written by init, rebind and configure only. */
export const observerSchema = z.strictObject({
  schema_version: z.literal(observerSchemaVersion),
  /** Random; tells two observers of one goal apart. */
  observer_id: z.string().regex(/^[0-9a-f]{32}$/),
  goal_id: z.string().min(1).max(200),
  /** Real path at init. */
  workspace: z.string().startsWith('/'),
  /** Declared files, relative to the workspace. */
  paths: z.array(z.string().min(1)),
  /** Declared patterns, each with the regular expression it stands for. */
  globs: z.array(z.strictObject({ pattern: z.string().min(1), regex: z.string().min(1) })),
  /** Evidence files of the basis, relative to the workspace. */
  evidence: z.array(z.string().min(1)),
  runtime_root: z.string().startsWith('/'),
  receipts: z.enum(['goal_runtime', 'private_runtime']),
  basis_file: z.string().startsWith('/'),
  /** Grows with every configure; work captured under another epoch is stale. */
  epoch: z.number().int().min(0),
  created_at: z.string(),
});

export type Observer = z.infer<typeof observerSchema>;

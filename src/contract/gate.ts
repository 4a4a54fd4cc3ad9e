import { z } from 'zod';

/**
 * What the sections of a gate record, in the order in which it happened.
 *
 * - `attempted` / `spawn_failure`: a command was tried through this runner / could not even be started.
 * - `observed` / `unobserve`: the attempt really passed or failed / one such observation is taken back.
 * - `ran`: the label of a command that ran and passed.
 * - `fail` / `fail_observed`: a failure and its rank (default 1, 0 leads); the latter where a probe looked.
 * - `warn`, `config_gap`, `contract_note`, `boot_unobserved`: notes; the last one replaces an earlier one.
 */
const gateEventSchema = z.union([
  z.tuple([z.enum(['attempted', 'spawn_failure', 'ran', 'warn', 'config_gap', 'contract_note']), z.string()]),
  z.tuple([z.enum(['observed', 'unobserve'])]),
  z.tuple([z.enum(['fail', 'fail_observed']), z.string()]),
  z.tuple([z.enum(['fail', 'fail_observed']), z.string(), z.number()]),
  z.tuple([z.literal('boot_unobserved'), z.string().nullable()]),
]);
export type GateEvent = z.infer<typeof gateEventSchema>;

export const debtOrigins = [
  'accepted',
  'enforce-revert',
  'enforce-kept',
  'frozen-blocked',
  'cross-task-deletion',
  'yolo-accepted',
  'final-gate',
  'root-cause',
] as const;
export type DebtOrigin = (typeof debtOrigins)[number];

/** The debts that ride on every verdict: objects handed through unchanged, and a sentence about them. */
const gateDebtsSchema = z.object({
  open_debts: z.array(z.unknown()).default([]),
  debt_note: z.string().nullish(),
});

export const tallyInputSchema = z.object({
  events: z.array(gateEventSchema),
  debts: gateDebtsSchema.default({ open_debts: [] }),
});
export type TallyInput = z.infer<typeof tallyInputSchema>;

export const gateVerdicts = ['PASS', 'FAIL', 'UNOBSERVED'] as const;

/** What `tallyGate` gives back. UNOBSERVED is never a pass, though nothing failed. */
export interface GateTally {
  readonly ok: boolean;
  readonly verdict: (typeof gateVerdicts)[number];
  /** Never mentions a debt: it is what a fixer is told to mend. */
  readonly reason: string;
  /** Every failure, ranked; absent unless FAIL. */
  readonly failures?: readonly string[];
  /** Those that a probe saw, in the same order; absent when there is none. */
  readonly observed_failures?: readonly string[];
  /** What was not observed; absent on PASS and on FAIL. */
  readonly unobserved?: string;
  readonly unobserved_set: boolean;
  readonly passed: readonly string[];
  readonly warnings: readonly string[];
  readonly attempts: number;
  readonly observations: number;
  readonly spawn_failures: number;
  readonly open_debts: readonly unknown[];
  readonly debt_note?: string;
}

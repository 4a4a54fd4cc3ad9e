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

export const gateConfigVersion = 'drift_gate_config_v1';

const argv = z.tuple([z.string().min(1)], z.string());
const milliseconds = z.int().min(1).max(86_400_000);

/** One command of the gate. */
const gateCommandSchema = z.strictObject({
  /** The argv itself where none is given. */
  label: z.string().trim().min(1).max(120).optional(),
  argv,
  /** Default 900 000. */
  timeout_ms: milliseconds.optional(),
  /** Exit statuses that mean "not applicable here": skipped, never a pass. */
  skip_exit: z.array(z.int().min(1).max(255)).default([]),
  /** 127 says "not found" and skips, unless it is hardened. */
  exit_127: z.enum(['skip', 'fail']).default('skip'),
});

/** A gate's configuration (`drift gate --config FILE`). Strict: unknown keys are refused. */
export const gateConfigSchema = z
  .strictObject({
    schema_version: z.literal(gateConfigVersion).optional(),
    /** Another name for the version, as the gate's own documents have it. */
    schema: z.literal(gateConfigVersion).optional(),
    /** Discovered in the folder where this is left out. */
    commands: z.array(gateCommandSchema).optional(),
    /** Starts the product and looks at it. */
    boot: z
      .strictObject({
        argv,
        /** A command that exits 0, a shell line that does, or an http address that answers 2xx or 3xx. */
        probe: z.union([argv, z.string().min(1)]).optional(),
        /** How long it may take to come up; without a probe, how long it has to stay up. Default 10 000. */
        grace_ms: milliseconds.default(10_000),
      })
      .optional(),
    /** Scripts that the project says it can be launched by. */
    launch: z
      .array(
        z.strictObject({
          /** A script of package.json by name, else a shell line. */
          script: z.string().trim().min(1),
          /** Names the variables that the script needs, in the form of a `.env` file. */
          env_template: z.string().min(1).optional(),
        }),
      )
      .default([]),
    /** JSON file whose `scripts` the launch scripts are held against. */
    manifest: z.string().min(1).optional(),
    /** `ok`: UNOBSERVED exits 0, for good. */
    unobserved: z.enum(['exit', 'ok']).default('exit'),
  })
  .refine((config) => config.schema_version !== undefined || config.schema !== undefined, {
    path: ['schema_version'],
    message: `expected "${gateConfigVersion}"`,
  });
export type GateConfig = z.infer<typeof gateConfigSchema>;

/** One command as the gate runs it. */
export interface GateCommand {
  readonly label: string;
  readonly argv: readonly [string, ...string[]];
  readonly timeoutMs?: number | undefined;
  readonly skipExit: readonly number[];
  readonly exit127: 'skip' | 'fail';
}

/** By which rule a command was not observed. */
export const skipRules = [
  'spawn_error',
  'timeout',
  'signal',
  'exit_127',
  'declared_skip',
  'config_gap',
  'harness',
] as const;

export interface GateSkip {
  readonly label: string;
  readonly rule: (typeof skipRules)[number];
  readonly detail: string;
}

export interface GateFailure {
  readonly label: string;
  readonly text: string;
  readonly rank: number;
  /** The command really ran. */
  readonly observed: boolean;
  readonly exit: number | null;
  readonly signal: string | null;
  /** The end of its output on one line, about 400 characters. */
  readonly tail: string;
}

export interface Debt {
  /** Names the row: digest of origin, task and reason, whatever their case. */
  readonly id: string;
  readonly task: string;
  readonly reason: string;
  readonly origin: DebtOrigin;
  /** Why the debt must not be acted on as it stands, or null. */
  readonly conflict: string | null;
}

/** The document of `drift gate --json`, but for the schema. */
export interface GateReport {
  readonly verdict: (typeof gateVerdicts)[number];
  readonly ok: boolean;
  readonly reason: string;
  /** Null outside a git repository. */
  readonly head_sha: string | null;
  /** sha256 over the names and contents of the files; null where there are too many. */
  readonly worktree_digest: string | null;
  readonly failures: readonly GateFailure[];
  readonly observed_failures: readonly string[];
  readonly unobserved: string | null;
  readonly passed: readonly string[];
  readonly attempts: number;
  readonly observations: number;
  readonly spawn_failures: number;
  readonly skips: readonly GateSkip[];
  readonly warnings: readonly string[];
  readonly open_debts: readonly Debt[];
  readonly debt_note: string | null;
  readonly duration_ms: number;
}

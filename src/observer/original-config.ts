import { configSchemaVersion } from '../contract/config-keys.ts';

interface OriginalLimits {
  readonly deadline_ms?: unknown;
  readonly max_requests_per_run?: unknown;
  readonly max_request_bytes?: unknown;
  readonly max_response_bytes?: unknown;
  readonly minimum_label_probability?: unknown;
}

/** The new configuration that says what a `loopx_jev_drift_config_v0` file said (contract §12). */
export function translateOriginalConfig(value: unknown): string {
  const old = value as { mode?: unknown; model?: unknown; allow_egress?: unknown; limits?: OriginalLimits };
  const limits = { ...old.limits };
  const remote = {
    ...(typeof old.model === 'string' ? { model: old.model } : {}),
    allow_egress: old.allow_egress === true,
    ...numbers({
      deadline_ms: limits.deadline_ms,
      max_requests: limits.max_requests_per_run,
      max_request_bytes: limits.max_request_bytes,
      max_response_bytes: limits.max_response_bytes,
    }),
  };
  const config = {
    schema_version: configSchemaVersion,
    mode: old.mode === 'off' ? 'off' : 'shadow',
    evaluator: 'system-one',
    system_one: remote,
    ...numbers({ minimum_label_probability: limits.minimum_label_probability }),
  };
  return JSON.stringify(config, null, 2);
}

const numbers = (values: Record<string, unknown>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );

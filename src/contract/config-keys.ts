/** What the hot path has to know of `config.json` without loading a schema library. A test pins both to each other. */

export const configSchemaVersion = 'drift_config_v1';

/** The version that the original observer wrote; recognised, refused and translated (design §4). */
export const originalConfigVersion = 'loopx_jev_drift_config_v0';

export const configKeys = [
  'schema_version',
  'mode',
  'host',
  'span',
  'evaluator',
  'structural',
  'system_one',
  'chat',
  'minimum_label_probability',
  'signal_rule',
  'scope',
  'acceptance_owner',
  'fleet',
  'retain_evidence_days',
  'diagnostics',
] as const;

/** Bytes and counts; `max_delta_bytes` bounds the bytes of the files that changed. */
export const scopeDefaults = { max_files: 200, max_bytes: 4_194_304, max_delta_bytes: 1_048_576 } as const;
export const scopeCeilings = { max_files: 2_000, max_bytes: 67_108_864, max_file_bytes: 16_777_216 } as const;

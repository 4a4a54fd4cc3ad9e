import { z } from 'zod';
import { configSchemaVersion, scopeCeilings, scopeDefaults } from './config-keys.ts';

const count = (min: number, max: number) => z.number().int().min(min).max(max);

/** What a shell accepts as the name of a variable. */
const environmentName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A model name that cannot move under our feet. */
const pinnedModel = z
  .string()
  .min(1)
  .max(120)
  .refine((name) => !/latest|preview/i.test(name), {
    message: 'a name that contains latest or preview may change its meaning; pin a version',
  });

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/** https anywhere, plain http to this machine only. */
const endpoint = z.url({ protocol: /^https?$/ }).refine(
  (text) => {
    const url = new URL(text);
    return url.protocol === 'https:' || loopbackHosts.has(url.hostname);
  },
  { message: 'plain http is allowed to loopback only' },
);

const remoteSchema = z.strictObject({
  base_url: endpoint.default('https://api.typesafe.ai'),
  model: pinnedModel.default('jev-1.13.0'),
  model_match: z.enum(['exact', 'prefix']).default('exact'),
  /** Name of the environment variable that holds the key; null: the endpoint asks for none. */
  api_key_env: z.string().regex(environmentName).nullable().default('TYPESAFE_API_KEY'),
  allow_egress: z.boolean().default(false),
  /** Milliseconds for one evaluation, everything included. */
  deadline_ms: count(100, 30_000).default(5_000),
  /** Requests that one observer may send in its life. */
  max_requests: count(1, 100_000).default(200),
  max_request_bytes: count(1_024, 1_048_576).default(65_536),
  max_response_bytes: count(1_024, 1_048_576).default(65_536),
});

/** `config.json` (design §4). Strict: an unknown key is refused. */
export const configSchema = z
  .strictObject({
    schema_version: z.literal(configSchemaVersion),
    mode: z.enum(['off', 'shadow']).default('shadow'),
    host: z.enum(['auto', 'generic', 'loopx']).default('auto'),
    /** What a transition spans; by host when left out. */
    span: z.enum(['turn', 'refresh']).optional(),
    evaluator: z.enum(['structural', 'system-one', 'cascade', 'chat']).default('structural'),
    structural: z
      .strictObject({
        constant_tests: z.boolean().default(true),
        restated_evidence: z.boolean().default(false),
        file_budget_ms: count(10, 10_000).default(250),
      })
      .prefault({}),
    system_one: remoteSchema.optional(),
    chat: remoteSchema.optional(),
    minimum_label_probability: z.number().min(0.5).max(1).default(0.6),
    signal_rule: z.enum(['v1', 'v2']).default('v2'),
    scope: z
      .strictObject({
        max_files: count(1, scopeCeilings.max_files).default(scopeDefaults.max_files),
        max_bytes: count(1, scopeCeilings.max_bytes).default(scopeDefaults.max_bytes),
        max_delta_bytes: count(1, scopeCeilings.max_bytes).default(scopeDefaults.max_delta_bytes),
      })
      .prefault({}),
    acceptance_owner: z
      .union([
        z.strictObject({ file: z.string().min(1) }),
        z.strictObject({ command: z.array(z.string()).min(1) }),
      ])
      .optional(),
    fleet: z
      .strictObject({
        /** Name of the environment variable that holds the database's URL; the URL itself stands in no file. */
        database_url_env: z.string().regex(environmentName).default('DRIFT_DATABASE_URL'),
        /** What `fleet status` calls this machine; its host name when left out. */
        host_name: z.string().trim().min(1).max(200).optional(),
      })
      .optional(),
    /** Days that raw text of a judged event stays. */
    retain_evidence_days: count(1, 3_650).default(30),
    diagnostics: z.enum(['file', 'stderr', 'off']).default('file'),
  })
  .refine((config) => !(config.signal_rule === 'v1' && config.minimum_label_probability === 0.5), {
    path: ['signal_rule'],
    message: 'v1 together with a threshold of 0.5 calls an undecided answer drift',
  });

export type Config = z.infer<typeof configSchema>;

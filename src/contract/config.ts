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
  base_url: endpoint
    .default('https://api.typesafe.ai')
    .describe('where `POST /v1/systemone` is answered; plain http to loopback only'),
  model: pinnedModel
    .default('jev-1.13.0')
    .describe('pinned; a name that contains latest or preview is refused'),
  model_match: z
    .enum(['exact', 'prefix'])
    .default('exact')
    .describe('how the model that answers must agree with the pinned name'),
  api_key_env: z
    .string()
    .regex(environmentName)
    .nullable()
    .default('TYPESAFE_API_KEY')
    .describe('name of the environment variable that holds the key; null: the endpoint asks for none'),
  allow_egress: z
    .boolean()
    .default(false)
    .describe('the permission to send; without it nothing leaves the machine'),
  deadline_ms: count(100, 30_000)
    .default(5_000)
    .describe('milliseconds for one evaluation, everything included'),
  max_requests: count(1, 100_000)
    .default(200)
    .describe('requests that one observer may send in its life; raised by drift configure only'),
  max_request_bytes: count(1_024, 1_048_576).default(65_536).describe('a larger request is not sent'),
  max_response_bytes: count(1_024, 1_048_576)
    .default(65_536)
    .describe('a longer answer is cut off and failed'),
});

/** `config.json` (design §4). Strict: an unknown key is refused. */
export const configSchema = z
  .strictObject({
    schema_version: z.literal(configSchemaVersion),
    mode: z
      .enum(['off', 'shadow'])
      .default('shadow')
      .describe('off: refresh only passes through, drain does nothing'),
    host: z
      .enum(['auto', 'generic', 'loopx'])
      .default('auto')
      .describe('who runs the refresh; auto: loopx where the command holds refresh-state'),
    span: z
      .enum(['turn', 'refresh'])
      .optional()
      .describe(
        'turn: from the last checkpoint to the end of the command (generic hosts); refresh: files must not change during it (loopx)',
      ),
    evaluator: z
      .enum(['structural', 'system-one', 'cascade', 'chat'])
      .default('structural')
      .describe(
        'who judges; cascade: structural first, system-one for what it cannot prove; chat is not offered yet',
      ),
    structural: z
      .strictObject({
        constant_tests: z.boolean().default(true).describe('flag tests that only restate constants (L4)'),
        restated_evidence: z
          .boolean()
          .default(false)
          .describe('flag evidence files in which only times, durations and ids differ (L4)'),
        file_budget_ms: count(10, 10_000)
          .default(250)
          .describe('milliseconds for one file; beyond them it is not proven'),
      })
      .prefault({}),
    system_one: remoteSchema
      .optional()
      .describe('a System One endpoint; without this block nothing is ever sent'),
    chat: remoteSchema.optional().describe('a second model family; not offered yet, nothing is sent'),
    minimum_label_probability: z
      .number()
      .min(0.5)
      .max(1)
      .default(0.6)
      .describe('t: a probability from t up, or from 1 - t down, decides'),
    signal_rule: z
      .enum(['v1', 'v2'])
      .default('v2')
      .describe('v1 only while a reader of a shared runtime does not know v2'),
    scope: z
      .strictObject({
        max_files: count(1, scopeCeilings.max_files)
          .default(scopeDefaults.max_files)
          .describe('declared files'),
        max_bytes: count(1, scopeCeilings.max_bytes)
          .default(scopeDefaults.max_bytes)
          .describe('bytes of all declared and evidence files'),
        max_delta_bytes: count(1, scopeCeilings.max_bytes)
          .default(scopeDefaults.max_delta_bytes)
          .describe('bytes of those that changed'),
      })
      .prefault({}),
    acceptance_owner: z
      .union([
        z.strictObject({ file: z.string().min(1).describe('a file that holds the current requirements') }),
        z.strictObject({ command: z.array(z.string()).min(1).describe('a command that prints them') }),
      ])
      .optional(),
    fleet: z
      .strictObject({
        database_url_env: z
          .string()
          .regex(environmentName)
          .default('DRIFT_DATABASE_URL')
          .describe(
            'name of the environment variable that holds the URL of the database; the URL stands in no file',
          ),
        host_name: z
          .string()
          .trim()
          .min(1)
          .max(200)
          .optional()
          .describe('what drift fleet status calls this machine; its host name when left out'),
      })
      .optional(),
    retain_evidence_days: count(1, 3_650)
      .default(30)
      .describe(
        'days that the raw text of a labelled event stays, that of any other twice as long; the newest checkpoint keeps its text',
      ),
    diagnostics: z
      .enum(['file', 'stderr', 'off'])
      .default('file')
      .describe('where refresh reports about itself; file: diagnostics.log in the state'),
  })
  .refine((config) => !(config.signal_rule === 'v1' && config.minimum_label_probability === 0.5), {
    path: ['signal_rule'],
    message: 'v1 together with a threshold of 0.5 calls an undecided answer drift',
  });

export type Config = z.infer<typeof configSchema>;

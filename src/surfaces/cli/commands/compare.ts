import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { compare } from '../../../compare/compare.ts';
import type { Comparison } from '../../../compare/comparison.ts';
import { configSchema } from '../../../contract/config.ts';
import { configSchemaVersion } from '../../../contract/config-keys.ts';
import type { Failure } from '../../../contract/failure.ts';
import { parseShape } from '../../../contract/parse.ts';
import { driftThresholdRange } from '../../../contract/policy.ts';
import { fail, ok, type Result } from '../../../contract/result.ts';
import { loadConfig } from '../../../observer/load-observer.ts';
import { type Answer, type CommonArguments, defineCommand } from '../command.ts';
import type { Io } from '../io.ts';
import { renderComparison } from '../render/comparison.ts';

const evaluators = ['structural', 'recorded', 'cascade'] as const;

interface CompareArguments extends CommonArguments {
  readonly matrix: string;
  readonly output: string;
  readonly responses?: string | undefined;
  readonly evaluator?: (typeof evaluators)[number] | undefined;
  readonly live: boolean;
  readonly driftThreshold: number;
  readonly threshold?: string | undefined;
  readonly model?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly apiKeyEnv?: string | undefined;
  readonly deadlineMs?: number | undefined;
}

export const command = defineCommand({
  usage: 'compare --matrix F --output F [--responses DIR] [--live] [options]',
  describe:
    'Plays every case of a comparison matrix in a temporary git repository, through real refreshes and the drain, and scores what the policy would have seen. Reads the matrices and recorded responses of loopx-jev unchanged.',
  examples: [
    ['drift compare --matrix matrix.json --output out.json', 'the structural evaluator, offline'],
    [
      'drift compare --matrix matrix.json --responses recorded/ --threshold 0.5,0.6,0.7 --output out.json',
      'replay recorded answers, at three label thresholds',
    ],
    [
      'drift compare --matrix matrix.json --responses recorded/ --live --output out.json',
      'ask the provider and record its answers',
    ],
  ],
  build: (yargs) =>
    yargs
      .option('matrix', { type: 'string', demandOption: true, describe: 'loopx_jev_sentinel_matrix_v0' })
      .option('output', { type: 'string', demandOption: true, describe: 'where the result goes' })
      .option('responses', { type: 'string', describe: 'folder of recorded responses' })
      .option('evaluator', {
        choices: evaluators,
        describe: 'who judges (recorded where --responses is given)',
      })
      .option('live', {
        type: 'boolean',
        default: false,
        describe: 'ask the provider; this is the permission to send',
      })
      .option('drift-threshold', {
        type: 'number',
        default: 2,
        describe: 'adjacent drift verdicts for an obligation, 2-20',
      })
      .option('threshold', { type: 'string', describe: 'label thresholds to replay, such as 0.5,0.6,0.7' })
      .option('model', { type: 'string', describe: 'the pinned model (default jev-1.13.0)' })
      .option('base-url', { type: 'string', describe: 'the endpoint, for --live' })
      .option('api-key-env', { type: 'string', describe: 'variable that holds the key, for --live' })
      .option('deadline-ms', { type: 'number', describe: 'for one answer, 100-30000' }),
  run: async (args: CompareArguments, io) => {
    const request = requestOf(args, io);
    if (!request.ok) return request;
    const output = resolve(io.cwd, args.output);
    if (!existsSync(dirname(output)))
      return fail({ reason: 'file_missing', file: dirname(output), field: 'output' });
    const stop = new AbortController();
    const end = (): void => stop.abort();
    process.on('SIGTERM', end).on('SIGINT', end);
    try {
      const compared = await compare({ ...request.value, signal: stop.signal });
      return compared.ok ? answer(compared.value, output, io) : compared;
    } finally {
      process.off('SIGTERM', end).off('SIGINT', end);
    }
  },
});

type Request = Omit<Parameters<typeof compare>[0], 'signal'>;

function requestOf(args: CompareArguments, io: Io): Result<Request, Failure> {
  const { min, max } = driftThresholdRange;
  const { driftThreshold, live, responses } = args;
  const evaluator = args.evaluator ?? (responses === undefined ? 'structural' : 'recorded');
  if (!(Number.isInteger(driftThreshold) && driftThreshold >= min && driftThreshold <= max))
    return refuse('drift-threshold', `a whole number from ${min} to ${max} is needed`);
  if (live && evaluator === 'structural') return refuse('live', 'the structural evaluator asks nobody');
  const labelThresholds = (args.threshold ?? '').split(',').filter(Boolean).map(Number);
  if (labelThresholds.some((t) => !(t >= 0.5 && t <= 1)))
    return refuse('threshold', 'thresholds lie between 0.5 and 1');
  const systemOne = systemOneOf(args, io);
  if (!systemOne.ok) return systemOne;
  return ok({
    matrixFile: resolve(io.cwd, args.matrix),
    evaluator,
    responses: responses === undefined ? null : resolve(io.cwd, responses),
    live,
    systemOne: systemOne.value,
    driftThreshold,
    labelThresholds,
    env: io.env,
    now: io.now,
    clock: () => performance.now(),
    onProgress: progressBar(io),
  });
}

const refuse = (field: string, detail: string): Result<never, Failure> =>
  fail({ reason: 'usage', field, detail: `--${field}: ${detail}` });

/** The endpoint: the block of a `--config` file where one is named, with the options over it. */
function systemOneOf(args: CompareArguments, io: Io): Result<Request['systemOne'], Failure> {
  const named = args.config === undefined ? null : loadConfig(resolve(io.cwd, args.config));
  if (named && !named.ok) return named;
  const given = {
    model: args.model,
    base_url: args.baseUrl,
    api_key_env: args.apiKeyEnv,
    deadline_ms: args.deadlineMs,
  };
  const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const wanted = {
    schema_version: configSchemaVersion,
    system_one: { ...(named?.ok ? named.value.config.system_one : {}), ...options },
  };
  const config = parseShape(configSchema, wanted, { file: 'the options', reason: 'config_invalid' });
  return config.ok ? ok(config.value.system_one as Request['systemOne']) : config;
}

const barWidth = 30;

function progressBar(io: Io): Request['onProgress'] {
  if (!io.tty.stderr) return () => undefined;
  return ({ share, casesDone, cases }) => {
    const bar = '#'.repeat(Math.round(share * barWidth)).padEnd(barWidth, '.');
    const end = casesDone === cases ? '\x1b[K\n' : '';
    io.stderr.write(`\rcompare [${bar}] ${casesDone}/${cases} cases${end}`);
  };
}

function answer(comparison: Comparison, output: string, io: Io): Result<Answer, Failure> {
  const partial = `${output}.${process.pid}.partial`;
  try {
    writeFileSync(partial, `${JSON.stringify(comparison, null, 2)}\n`);
    renameSync(partial, output);
  } catch (error) {
    rmSync(partial, { force: true });
    return fail({
      reason: 'write_failed',
      file: output,
      detail: (error as NodeJS.ErrnoException).code ?? '',
    });
  }
  const { execution, aggregate, threshold_replay } = comparison;
  const document = {
    status: 'compared',
    execution,
    output,
    aggregate,
    ...(threshold_replay ? { threshold_replay } : {}),
  };
  return ok({ document, text: `${renderComparison(comparison, io)}\n\nWritten to ${output}` });
}

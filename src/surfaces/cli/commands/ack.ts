import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { exitCode } from '../../../contract/exit-code.ts';
import type { Failure } from '../../../contract/failure.ts';
import { fail, ok, type Result } from '../../../contract/result.ts';
import { type Acknowledged, acknowledge } from '../../../goal/acknowledge.ts';
import { type GoalReview, readGoalPolicy, readGoalReview } from '../../../goal/goal-review.ts';
import { openObligations } from '../../../goal/open-obligations.ts';
import { isJsonObject, type JsonObject } from '../../../json/json-object.ts';
import { readJsonFile } from '../../../json/read-json-file.ts';
import { parseStrictJson } from '../../../json/strict-json.ts';
import type { LoadedObserver } from '../../../observer/load-observer.ts';
import { normalizeObservation } from '../../../sentinel/normalize-observation.ts';
import { type Answer, defineCommand } from '../command.ts';
import type { Io } from '../io.ts';
import { loadFor } from '../load.ts';
import { claimFrom, withProgressOptions } from '../progress-options.ts';

const MAX_VISION_BYTES = 65_536;

export const command = defineCommand({
  usage: 'ack --progress-… | --vision FILE [--agent-id A] [--obligation-id ID]',
  describe:
    'Offers a typed claim or a vision against the open obligation. Accepted: an acknowledgement row, exit 0 (on LoopX: the command that carries the claim). Refused: the reason, exit 1.',
  examples: [
    [
      'drift ack --agent-id worker --progress-result-class advanced --progress-hypothesis-id h7 --progress-evidence-id run-41',
      'another hypothesis, with new evidence',
    ],
    [
      'drift ack --agent-id worker --vision review.json',
      'the work was reviewed and the path recorded (- reads standard input)',
    ],
  ],
  exits: [['1', 'refused, or no obligation is open']],
  build: (yargs) =>
    withProgressOptions(yargs)
      // `nargs` lets a lone dash stand for standard input.
      .option('vision', {
        type: 'string',
        nargs: 1,
        describe: 'JSON file with an evidence-linked vision path, - for standard input',
      })
      .option('agent-id', {
        type: 'string',
        describe: 'whose obligation (DRIFT_AGENT_ID; else the only one that is open)',
      })
      .option('obligation-id', { type: 'string', describe: 'the obligation that is meant' })
      .option('registry', { type: 'string', describe: 'registry file of LoopX' }),
  run: async (args, io) => {
    const observation = claimFrom(args);
    const vision = args.vision === undefined ? ok(null) : readVision(args.vision, io);
    if (!vision.ok) return vision;
    if (observation === null && vision.value === null)
      return fail({ reason: 'usage', detail: 'ack needs a claim (--progress-…) or a --vision' });
    const readable = observation && normalizeObservation({ observation });
    if (readable && !readable.ok)
      return fail({
        reason: 'usage',
        field: readable.field,
        detail: `the claim cannot be read: ${readable.reason} ${readable.field}`.trim(),
      });
    const loaded = loadFor(args, io);
    if (!loaded.ok) return loaded;
    const review = readGoalReview(
      loaded.value,
      readGoalPolicy(loaded.value, { env: io.env, cwd: io.cwd, registry: args.registry }),
    );
    if (review === null) return ok(answer({ status: 'no_open_obligation' }, loaded.value));
    const agent = agentFor(args.agentId ?? io.env['DRIFT_AGENT_ID'], loaded.value, review);
    if (!agent.ok) return agent;
    const offer = {
      agent: agent.value,
      observation,
      vision: vision.value,
      obligationId: args.obligationId ?? null,
      now: io.now(),
    };
    return ok(answer(acknowledge(loaded.value, review, offer), loaded.value));
  },
});

function readVision(name: string, io: Io): Result<JsonObject, Failure> {
  const file = resolve(io.cwd, name);
  const read = name === '-' ? parseInput() : readJsonFile(file, MAX_VISION_BYTES);
  if (!read.ok) return read;
  const { value } = read.value;
  return isJsonObject(value)
    ? ok(value as JsonObject)
    : fail({ reason: 'json_invalid', file, detail: 'a vision is an object' });
}

function parseInput(): Result<{ readonly value: unknown }, Failure> {
  const file = 'standard input';
  const bytes = readFileSync(0);
  if (bytes.length > MAX_VISION_BYTES)
    return fail({ reason: 'file_too_large', file, detail: `at most ${MAX_VISION_BYTES} bytes` });
  const parsed = parseStrictJson(bytes.toString('utf8'));
  if (parsed.ok) return ok({ value: parsed.value });
  const { line, column, fault } = parsed.fault;
  return fail({ reason: 'json_invalid', file, position: { line, column }, detail: fault });
}

/** The named agent, or the only one with an open obligation. */
function agentFor(
  named: string | undefined,
  loaded: LoadedObserver,
  review: GoalReview,
): Result<string, Failure> {
  const agent = named?.trim() ?? '';
  if (agent !== '') return ok(agent);
  const agents = openObligations(loaded, review).map(({ agent_id }) => agent_id);
  if (agents.length > 1)
    return fail({
      reason: 'usage',
      field: 'agent-id',
      detail: `several agents owe something: name one of ${agents.join(', ')} with --agent-id`,
    });
  return ok(agents[0] ?? '');
}

function answer(result: Acknowledged, { observer }: LoadedObserver): Answer {
  const head = { status: result.status, goal_id: observer.goal_id };
  if (result.status === 'no_open_obligation')
    return {
      document: { ...head, accepted: false, open: false, reason_code: null },
      text: 'No open obligation.',
      exit: exitCode.finding,
    };
  const { obligation_id, agent_id } = result.obligation;
  const named = { ...head, obligation_id, agent_id };
  if (result.status === 'other_obligation')
    return {
      document: { ...named, accepted: false, open: true, reason_code: 'obligation_not_open' },
      text: `Refused: another obligation is open, ${obligation_id}.`,
      exit: exitCode.finding,
    };
  const { discharge } = result;
  if (result.status === 'refused')
    return {
      document: { ...named, open: true, ...discharge, reason_code: discharge.reason_code ?? null },
      text: `Refused: ${(discharge.reason_code ?? 'it changes nothing that this obligation accepts').replaceAll('_', ' ')}.\nSee drift obligation for every way out.`,
      exit: exitCode.finding,
    };
  if (result.status === 'qualified')
    return {
      document: { ...named, open: true, ...discharge, command: result.command },
      text: result.command,
    };
  return {
    document: { ...named, open: false, ...discharge, generated_at: result.generatedAt },
    text: `Acknowledged ${obligation_id} by ${discharge.satisfying_outcomes.join(', ').replaceAll('_', ' ')}.`,
  };
}

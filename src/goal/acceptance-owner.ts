import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { type AcceptanceRequirement, acceptanceOwnerSchema } from '../contract/acceptance.ts';
import type { Config } from '../contract/config.ts';
import type { Failure } from '../contract/failure.ts';
import { parseShape } from '../contract/parse.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { readJsonFile } from '../json/read-json-file.ts';
import { parseStrictJson } from '../json/strict-json.ts';

const MAX_ANSWER_BYTES = 8_388_608;
const PATIENCE_MS = 10_000;

/**
 * Asks the configured owner for the requirements in force (design §4): a file, or a command that prints them, run in
 * the workspace. Reasons: acceptance_unavailable, and those of reading a file.
 */
export function readAcceptance(
  owner: NonNullable<Config['acceptance_owner']>,
  workspace: string,
): Result<AcceptanceRequirement[], Failure> {
  const source = 'file' in owner ? resolve(workspace, owner.file) : owner.command.join(' ');
  const answer = 'file' in owner ? readJsonFile(source, MAX_ANSWER_BYTES) : run(owner.command, workspace);
  if (!answer.ok) return answer;
  const parsed = parseShape(acceptanceOwnerSchema, answer.value.value, {
    file: source,
    reason: 'acceptance_unavailable',
  });
  return parsed.ok ? ok(parsed.value.requirements) : parsed;
}

function run(command: readonly string[], cwd: string): Result<{ readonly value: unknown }, Failure> {
  const [program = '', ...args] = command;
  const unavailable = (detail: string) =>
    fail<Failure>({ reason: 'acceptance_unavailable', file: command.join(' '), detail });
  const { error, status, signal, stdout } = spawnSync(program, args, {
    cwd,
    timeout: PATIENCE_MS,
    maxBuffer: MAX_ANSWER_BYTES,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (error) return unavailable((error as NodeJS.ErrnoException).code ?? error.message);
  if (status !== 0) return unavailable(signal ? `it was ended by ${signal}` : `it ended with ${status}`);
  const parsed = parseStrictJson(stdout.toString('utf8'));
  return parsed.ok
    ? ok({ value: parsed.value })
    : unavailable(`it printed no strict JSON (${parsed.fault.fault})`);
}

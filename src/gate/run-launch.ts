import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { GateConfig } from '../contract/gate.ts';
import { asJsonObject } from '../json/json-object.ts';
import { readJsonFile, readOwnFile } from '../json/read-json-file.ts';
import { type GateRecord, judgeEnd, type Outcome, recordOutcome, recordSkip } from './gate-record.ts';
import { type Environment, environmentFor } from './resolve-runner.ts';
import type { Progress } from './run-commands.ts';
import { type ProcessEnd, startProcess } from './run-process.ts';
import { argvOfLine } from './shell-line.ts';

type LaunchScript = GateConfig['launch'][number];

export const launchTimeoutMs = 180_000;

const maxManifestBytes = 4 * 1024 * 1024;
const maxTemplateBytes = 256 * 1024;
const plain = { skipExit: [], exit127: 'skip' } as const;

/**
 * Holds the declared launch scripts against the manifest: a script that it does not name fails; no manifest to hold
 * them against is a note, never a silent pass.
 */
export function compareLaunchContract(
  record: GateRecord,
  { launch, manifest }: GateConfig,
  cwd: string,
): void {
  if (launch.length === 0) return;
  const note = (why: string) =>
    record.events.push(['contract_note', `UNOBSERVED — launch contract: ${launch.length} declared, ${why}.`]);
  if (manifest === undefined) return void note('and no manifest to hold them against');
  const read = readJsonFile(resolve(cwd, manifest), maxManifestBytes);
  if (!read.ok) return void note(`and ${manifest} cannot be read (${read.failure.reason})`);
  const scripts = asJsonObject(asJsonObject(read.value.value)['scripts']);
  for (const { script } of launch) {
    if (Object.hasOwn(scripts, script)) continue;
    const text = `launch ${script}: declared, and ${manifest} has no such script`;
    record.events.push(['fail', text]);
    record.failures.push({
      label: `launch ${script}`,
      text,
      rank: 1,
      observed: false,
      exit: null,
      signal: null,
      tail: '',
    });
  }
}

export interface LaunchSettings extends Environment {
  readonly progress: Progress;
  readonly timeoutMs: number;
}

/** Runs the declared launch scripts, each to its end or its timeout. */
export async function runLaunchScripts(
  record: GateRecord,
  scripts: readonly LaunchScript[],
  settings: LaunchSettings,
): Promise<void> {
  for (const script of scripts) await runLaunchScript(record, script, settings);
}

async function runLaunchScript(
  record: GateRecord,
  launch: LaunchScript,
  settings: LaunchSettings,
): Promise<void> {
  const label = `launch ${launch.script}`;
  const argv = argvOfScript(launch.script, settings);
  const [runner] = argv;
  settings.progress(label);
  const env = (await environmentFor(runner, settings)) ?? settings.env;
  const running = startProcess({ argv, cwd: settings.cwd, env, timeoutMs: settings.timeoutMs });
  const outcome = judgeEnd(await running.end, plain);
  const missing = outcome.kind === 'fail' ? missingVariables(launch, settings) : {};
  const isGap = await failsOnlyFor(missing, argv, { ...settings, env });
  settings.progress(null);
  const what = { label, runner, output: running.tail() };
  if (isGap) recordGap(record, { label, runner }, Object.keys(missing));
  else recordOutcome(record, what, outcome);
}

/** A script of package.json by its name, else a shell line. */
function argvOfScript(script: string, { cwd, env }: Environment): [string, ...string[]] {
  const manifest = readJsonFile(join(cwd, 'package.json'), maxManifestBytes);
  const scripts = manifest.ok ? asJsonObject(asJsonObject(manifest.value.value)['scripts']) : {};
  return Object.hasOwn(scripts, script)
    ? ['npm', 'run', '--silent', script]
    : argvOfLine(script, { cwd, env });
}

/** The variables that the shipped template declares and the environment lacks, each with a placeholder. */
function missingVariables(
  { env_template: template }: LaunchScript,
  { cwd, env }: Environment,
): Record<string, string> {
  if (template === undefined || !existsSync(resolve(cwd, template))) return {};
  const read = readOwnFile(resolve(cwd, template), maxTemplateBytes);
  if (!read.ok) return {};
  const declared = Object.entries(parseEnv(read.value.toString('utf8')));
  const missing = declared.filter(([name]) => env[name] === undefined);
  return Object.fromEntries(missing.map(([name, value]) => [name, value || 'placeholder']));
}

/** Runs the script again with placeholders: only if it does not fail then were they all that it lacked. */
async function failsOnlyFor(
  missing: Readonly<Record<string, string>>,
  argv: [string, ...string[]],
  { cwd, env, timeoutMs }: LaunchSettings,
): Promise<boolean> {
  if (Object.keys(missing).length === 0) return false;
  const end = await startProcess({ argv, cwd, env: { ...env, ...missing }, timeoutMs }).end;
  return isNoFailure(end);
}

/** A script that serves goes on until its time is up. */
const isNoFailure = (end: ProcessEnd): boolean =>
  end.kind === 'timeout' || (judgeEnd(end, plain) satisfies Outcome).kind === 'pass';

/** Observed, then taken back: the real run could not reach what the script does, and the second was a diagnosis. */
function recordGap(
  record: GateRecord,
  { label, runner }: { readonly label: string; readonly runner: string },
  names: readonly string[],
): void {
  record.events.push(['attempted', runner], ['observed'], ['unobserve']);
  record.events.push([
    'config_gap',
    `UNOBSERVED — ${label} needs ${names.join(', ')}, which is not set here.`,
  ]);
  recordSkip(record, { label, rule: 'config_gap', detail: `not set: ${names.join(', ')}` });
}

import type { DescriptorPlan } from '../command/descriptors.ts';
import { readStart } from '../command/read-start.ts';
import type { LaunchFacts } from '../launch/launch-facts.ts';
import { dieWithParent } from './parent-death.ts';
import { latin1Of, type RawBytes } from './raw-bytes.ts';
import { namesWorkingFolder, undoShellDamage } from './shell-damage.ts';

/** What to spawn: the command, or programs that restore what Node destroyed and then become the command. */
export interface StartPlan {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** What the shell reads from the plan's script descriptor; null when the words say it all. */
  readonly script: Buffer | null;
}

interface Restoration {
  readonly facts: LaunchFacts;
  /** The command's environment. */
  readonly variables: Readonly<NodeJS.ProcessEnv>;
  readonly descriptors: DescriptorPlan;
  readonly raw: RawBytes | null;
}

/**
 * setpriv, sh, env, command: each only where it is needed, and each becomes the next by `exec`. So the command is drift's
 * own child and keeps the name by which it was called.
 */
export function planStart(
  command: readonly string[],
  { facts, variables, descriptors, raw }: Restoration,
): StartPlan {
  // What is not there shall not be missed in setpriv's words.
  const front = facts.hasTerminal === false && facts.isProgram !== false ? dieWithParent() : [];
  const statements = [...restoreLimits(facts), ...descriptors.statements];
  const needsShell = statements.length > 0 || raw !== null;
  const undo = [...blockSignals(facts), ...(needsShell ? undoShellDamage(variables) : [])];
  const env = undo.length > 0 && !confusesEnv(command) ? [envProgram, ...undo] : [];
  if (!needsShell) return { ...split([...front, ...env, ...command]), env: variables, script: null };
  // A shell that finds no true PWD looks for the folder, and complains aloud when it has been deleted.
  const shellsEnv = namesWorkingFolder(variables['PWD'])
    ? variables
    : { ...variables, PWD: '/proc/self/cwd' };
  const shell = [...front, '/bin/sh', '-c'];
  const { scriptDescriptor: descriptor } = descriptors;
  if (raw === null || descriptor === null) {
    const text = [...statements, 'exec "$@"'].join('; ');
    return { ...split([...shell, text, 'drift', ...env, ...command]), env: shellsEnv, script: null };
  }
  return {
    ...split([...shell, `eval "$(command -p cat <&${descriptor})"`, 'drift']),
    env: shellsEnv,
    script: writeScript(raw, env, [`exec ${descriptor}<&-`, ...statements]),
  };
}

const split = ([file = '', ...args]: string[]): { file: string; args: string[] } => ({ file, args });

function restoreLimits({ ignoredSignals, coreLimit, openFilesLimit }: LaunchFacts): string[] {
  return [
    ...(ignoredSignals.length > 0 ? [`trap '' ${ignoredSignals.join(' ')}`] : []),
    ...(coreLimit ? [`ulimit -Sc ${coreLimit}`] : []),
    ...(openFilesLimit ? [`ulimit -Sn ${openFilesLimit}`] : []),
  ];
}

const envProgram = '/usr/bin/env';

/** env(1) takes a word with `=` for a variable and one with `-` for an option: such a program goes without. */
const confusesEnv = ([program = '']: readonly string[]): boolean =>
  program.startsWith('-') || program.includes('=');

/** Neither Node nor sh can block a signal; env of GNU coreutils 8.31 and newer can. */
function blockSignals({ blockedSignals }: LaunchFacts): string[] {
  if (blockedSignals.length === 0) return [];
  try {
    return readStart(envProgram, 262_144).includes('block-signal')
      ? [`--block-signal=${blockedSignals.join()}`]
      : [];
  } catch {
    return [];
  }
}

/** The same as the words of the plain case, with every byte in place. */
function writeScript(raw: RawBytes, env: readonly string[], statements: readonly string[]): Buffer {
  const isExportable = (variable: string): boolean => /^[a-z_]\w*=/i.test(variable);
  const odd = raw.variables.filter((variable) => !isExportable(variable));
  const front = env.length > 0 || odd.length === 0 ? env.map(latin1Of) : [envProgram];
  const lines = [
    ...statements,
    `set -- ${[...front, ...odd, ...raw.command].map(quote).join(' ')}`,
    ...raw.variables.filter(isExportable).map((variable) => `export ${quoteValue(variable)}`),
    'exec "$@"',
  ];
  return Buffer.from(`${lines.join('\n')}\n`, 'latin1');
}

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

function quoteValue(variable: string): string {
  const value = variable.indexOf('=') + 1;
  return variable.slice(0, value) + quote(variable.slice(value));
}

import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import type { LaunchFacts } from '../launch/launch-facts.ts';

/**
 * Arguments and variables that are not UTF-8. Node decodes them with loss and `spawn` takes strings only, so they
 * reach the command through a shell script. One character stands for one byte ("latin1").
 */
export interface RawBytes {
  readonly command: readonly string[];
  /** NAME=VALUE, only those that are not UTF-8. */
  readonly variables: readonly string[];
  /** Names in `process.env` that no variable has. */
  readonly misreadNames: readonly string[];
}

/** Null in the usual case that everything is UTF-8, and where there is no /proc to read the bytes from. */
export function readRawBytes(
  command: readonly string[],
  facts: LaunchFacts,
  environment: Readonly<NodeJS.ProcessEnv>,
): RawBytes | null {
  const lossyWords = command.some(isLossy);
  const lossyVariables = isLossy(Object.entries(environment).join());
  if (!lossyWords && !lossyVariables) return null;
  const words = readNulSeparated('/proc/self/cmdline');
  if (words.length === 0) return null;
  const environ =
    facts.environ?.toString('latin1').split('\0').map(asCallersOwn) ?? readNulSeparated('/proc/self/environ');
  const hidden = words.filter((word) =>
    facts.hiddenVariables.includes(Buffer.from(word, 'latin1').toString()),
  );
  const variables = [...environ, ...hidden].filter((variable) => !isUtf8(Buffer.from(variable, 'latin1')));
  // The command stands at the end; a program that was put in front of it is ours, and ASCII.
  const given = lossyWords ? words.slice(-command.length) : [];
  return {
    command: command.map((word, i) => (isLossy(word) ? (given[i] ?? word) : latin1Of(word))),
    variables: lossyVariables ? variables : [],
    misreadNames: Object.keys(environment).filter(isLossy),
  };
}

/** The launcher's first line moved PWD aside. */
const asCallersOwn = (variable: string): string => variable.replace(/^drift_pwd=/, 'PWD=');

/** Node puts this for what is no UTF-8. */
const isLossy = (text: string | undefined): boolean => text?.includes('\uFFFD') ?? false;

/** The bytes of a text, a character each. */
export const latin1Of = (text: string): string => Buffer.from(text).toString('latin1');

function readNulSeparated(file: string): string[] {
  try {
    return readFileSync(file, 'latin1').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}

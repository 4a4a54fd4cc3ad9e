import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { callersVariables } from '../launch/environment.ts';

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
  environment: Readonly<NodeJS.ProcessEnv>,
): RawBytes | null {
  const lossyWords = command.some(isLossy);
  const lossyVariables = isLossy(Object.entries(environment).join());
  if (!lossyWords && !lossyVariables) return null;
  const words = readBytes('/proc/self/cmdline').split('\0').slice(0, -1);
  if (words.length === 0) return null;
  const variables = lossyVariables ? callersVariables(readBytes('/proc/self/environ')) : [];
  // The command stands at the end; a program that was put in front of it is ours, and ASCII.
  const given = words.slice(-command.length);
  return {
    command: command.map((word, i) => (isLossy(word) ? (given[i] ?? word) : latin1Of(word))),
    variables: variables.filter((variable) => !isUtf8(Buffer.from(variable, 'latin1'))),
    misreadNames: Object.keys(environment).filter(isLossy),
  };
}

/** Node puts this for what is no UTF-8. */
const isLossy = (text: string | undefined): boolean => text?.includes('\uFFFD') ?? false;

/** The bytes of a text, a character each. */
export const latin1Of = (text: string): string => Buffer.from(text).toString('latin1');

function readBytes(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

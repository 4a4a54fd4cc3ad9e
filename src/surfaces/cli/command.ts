import type { ArgumentsCamelCase, Argv } from 'yargs';
import type { Failure } from '../../contract/failure.ts';
import type { Result } from '../../contract/result.ts';
import type { Io } from './io.ts';

/** What a command answers: one document for `--json`, one text for people, and an exit status (0 when left out). */
export interface Answer {
  readonly document: object;
  /** Ends without a line end; empty prints nothing. */
  readonly text: string;
  /** A signal where one ended a wrapped command: drift ends by the same. */
  readonly exit?: number | NodeJS.Signals;
}

/** Options that every command knows. */
export interface CommonArguments {
  readonly json: boolean;
  readonly stateDir?: string | undefined;
  /** Every `--state-dir` that was given; the last one is `stateDir`. */
  readonly stateDirs: readonly string[];
  readonly config?: string | undefined;
  /** Words that belong to no option. */
  readonly _: readonly (string | number)[];
  /** The words after the first `--`, untouched; null when there is no `--`. */
  readonly rest: readonly string[] | null;
}

/**
 * One command. `build` declares its own options on yargs; `run` gets them typed, never prints a result itself and
 * gives every expected failure back as a value. Progress may go to `io.stderr`.
 */
export interface Command<A> {
  /** For the usage line, after `drift`: `label --event-id ID --truth …`. */
  readonly usage: string;
  readonly describe: string;
  /** At least two: the command line, and what it does. */
  readonly examples: readonly (readonly [string, string])[];
  /** What this command's exit statuses mean beyond 0 done, 2 bad input and 70 a bug; shown by its help. */
  readonly exits?: readonly (readonly [string, string])[];
  /** The exit status of a failure, where it is not the usual one; gets the command's words. */
  readonly refusalExit?: (words: readonly string[]) => number;
  /** What `--config` names, where it is not the observer's config.json. */
  readonly config?: string;
  readonly build: (yargs: Argv) => Argv<A>;
  readonly run: (args: ArgumentsCamelCase<A> & CommonArguments, io: Io) => Promise<Result<Answer, Failure>>;
}

const usualExits: readonly (readonly [string, string])[] = [
  ['0', 'done'],
  ['2', 'usage, configuration or other bad input'],
  ['70', 'a bug in drift'],
];

/** Every exit status of a command with its meaning, in order; one of its own takes the place of a usual one. */
export const exitsOf = ({ exits = [] }: Pick<AnyCommand, 'exits'>): [string, string][] =>
  [...new Map([...usualExits, ...exits])].sort(([left], [right]) => Number(left) - Number(right));

/** Keeps the inferred option types of a command. */
export const defineCommand = <A>(command: Command<A>): Command<A> => command;

// biome-ignore lint/suspicious/noExplicitAny: the option types differ from command to command.
export type AnyCommand = Command<any>;

import { type NodeParts, readParts } from './node-parts.ts';

/**
 * What `bin/drift` saw before Node started, and what Node has destroyed by now. Without the launcher (Windows, or
 * `node dist/shim.cjs refresh …`) everything is unknown, and the command gets what Node leaves of it.
 */
export interface LaunchFacts {
  /** Read end of an unused pipe. */
  readonly pipe: number | null;
  /** Descriptors that the caller had open; null when unknown. */
  readonly descriptors: ReadonlySet<number> | null;
  /** Those of 0, 1 and 2 whose reads or writes fail instead of waiting. */
  readonly nonBlocking: readonly number[];
  /** Numbers of signals, 1 to 31: that is all the kernel tells here, and all that Node resets. */
  readonly ignoredSignals: readonly number[];
  readonly blockedSignals: readonly number[];
  /** Null when unknown. */
  readonly hasTerminal: boolean | null;
  /** In the unit of `ulimit` in /bin/sh; null when it is as Node leaves it. */
  readonly coreLimit: string | null;
  readonly openFilesLimit: string | null;
  /** Names of variables that were kept from drift's own Node, see `restoreEnvironment`. */
  readonly hiddenVariables: readonly string[];
  /** Whether the command is a program that is there; null when unknown. */
  readonly isProgram: boolean | null;
  /** Told by start-compiled.ts, not by the launcher. */
  readonly nodeParts: NodeParts;
}

/** A command line that has been cut. */
export interface Launch {
  readonly facts: LaunchFacts;
  readonly options: readonly string[];
  readonly command: readonly string[];
}

/**
 * Cuts the words after the script: `fact=…`, `refresh`, options, `--`, command.
 * The command is empty when there is no `--` or nothing after it.
 */
export function readLaunch(words: readonly string[]): Launch {
  const start = words.findIndex((word) => !word.includes('='));
  const cut = words.indexOf('--', start < 0 ? words.length : start);
  return {
    facts: readFacts(start < 0 ? [] : words.slice(0, start)),
    options: words.slice(start + 1, cut < 0 ? words.length : cut),
    command: cut < 0 ? [] : words.slice(cut + 1),
  };
}

/** `NAME=VALUE` words by name. */
export function mapWords(words: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    words.map((word) => {
      const at = word.indexOf('=');
      return [word.slice(0, at), word.slice(at + 1)] as const;
    }),
  );
}

function readFacts(words: readonly string[]): LaunchFacts {
  const told = mapWords(words);
  const get = (name: string): string => told.get(name) ?? '';
  const [state = '', core = '', softFiles = '', hardFiles = ''] = get('report').split('\n');
  // Numbered as in proc(5), where the first of these is field 3.
  const stat = state.split(' ');
  const [known, ...descriptors] = get('fds').split(' ');
  return {
    pipe: get('pipe') === '' ? null : Number(get('pipe')),
    descriptors: known === '' ? null : new Set(descriptors.map(Number)),
    nonBlocking: get('unblocked').split(' ').slice(1).map(Number),
    ignoredSignals: signalsIn(stat[33 - 3]),
    blockedSignals: signalsIn(stat[32 - 3]),
    hasTerminal: stat.length > 1 ? stat[7 - 3] !== '0' : null,
    coreLimit: core === '' || core === '0' ? null : core,
    // Node raises the soft limit to the hard one.
    openFilesLimit: softFiles === hardFiles ? null : softFiles,
    hiddenVariables: get('hidden').split(' ').slice(1),
    isProgram: told.has('found') ? get('found') !== '' : null,
    nodeParts: readParts(told),
  };
}

function signalsIn(mask = '0'): number[] {
  const signals: number[] = [];
  for (let bits = Number(mask), signal = 1; bits > 0; bits = Math.floor(bits / 2), signal += 1)
    if (bits % 2 === 1) signals.push(signal);
  return signals;
}

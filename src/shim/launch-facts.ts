/**
 * What `bin/drift` saw before Node started, and what Node has destroyed by now. Without the launcher (Windows, or
 * `node dist/shim.cjs refresh …`) everything is unknown, and the command gets what Node leaves of it.
 */
export interface LaunchFacts {
  /** Read end of an unused pipe. */
  readonly pipe: number | null;
  /** Descriptors that the caller had open; null when unknown. */
  readonly descriptors: ReadonlySet<number> | null;
  /** Numbers of signals, 1 to 31: that is all the kernel tells here, and all that Node resets. */
  readonly ignoredSignals: readonly number[];
  readonly blockedSignals: readonly number[];
  /** Null when unknown. */
  readonly hasTerminal: boolean | null;
  /** In the unit of `ulimit` in /bin/sh; null when it is as Node leaves it. */
  readonly coreLimit: string | null;
  readonly openFilesLimit: string | null;
  /** The environment as the kernel handed it to the launcher, where the shell would have changed it. */
  readonly environ: Buffer | null;
  /** Variables that were kept from drift's own Node, as NAME=VALUE. */
  readonly hiddenVariables: readonly string[];
}

/** A command line that has been cut: facts of the launcher, options of refresh, the wrapped command. */
export interface Launch {
  readonly facts: LaunchFacts;
  readonly options: readonly string[];
  readonly command: readonly string[];
}

/**
 * Cuts the words after the script: `fact=…`, `NAME=…`, `refresh`, options, `--`, command.
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

function readFacts(words: readonly string[]): LaunchFacts {
  const told = new Map<string, string>();
  const hiddenVariables: string[] = [];
  for (const word of words) {
    const at = word.indexOf('=');
    const name = word.slice(0, at);
    if (/^[a-z]/.test(name)) told.set(name, word.slice(at + 1));
    else hiddenVariables.push(word);
  }
  const fieldsOf = (name: string): string[] => told.get(name)?.split(/\s+/).filter(Boolean) ?? [];
  // Numbered as in proc(5), where the first of these is field 3.
  const stat = fieldsOf('stat');
  const [core, softFiles, hardFiles] = fieldsOf('limits');
  const [known, ...descriptors] = fieldsOf('fds');
  return {
    pipe: told.get('pipe') ? Number(told.get('pipe')) : null,
    descriptors: known ? new Set(descriptors.map(Number)) : null,
    ignoredSignals: signalsIn(stat[33 - 3]),
    blockedSignals: signalsIn(stat[32 - 3]),
    hasTerminal: stat.length > 0 ? stat[7 - 3] !== '0' : null,
    coreLimit: core === '0' ? null : (core ?? null),
    // Node raises the soft limit to the hard one.
    openFilesLimit: softFiles === hardFiles ? null : (softFiles ?? null),
    environ: told.get('environ') ? Buffer.from(told.get('environ') ?? '', 'base64') : null,
    hiddenVariables,
  };
}

function signalsIn(mask: string | undefined): number[] {
  const bits = Number(mask ?? 0);
  return Array.from({ length: 31 }, (_, i) => i + 1).filter((signal) => (bits >>> (signal - 1)) & 1);
}

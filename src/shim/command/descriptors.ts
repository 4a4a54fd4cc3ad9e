import { closeSync, openSync } from 'node:fs';
import type { LaunchFacts } from '../launch/launch-facts.ts';
import type { StdoutRoute } from '../stdout/stdout-route.ts';

/** An entry of `spawn`'s stdio. */
type Entry = number | 'pipe' | 'ignore';

/** Which descriptor of drift becomes which of the command, and what the shell in between has to finish. */
export interface DescriptorPlan {
  readonly stdio: readonly Entry[];
  /** Shell statements, in order. */
  readonly statements: readonly string[];
  /** A number below 10 that neither caller nor command uses, for a script; null when all are taken. */
  readonly scriptDescriptor: number | null;
}

/** Beyond this number libuv stops, at the first gap, to mark inherited descriptors as its own. */
const MARKED_ANYWAY = 15;

export function planDescriptors(
  facts: LaunchFacts,
  route: StdoutRoute,
  needsScript: boolean,
): DescriptorPlan {
  const inherited = listInherited(facts.descriptors);
  const free = [9, 8, 7, 6, 5, 4, 3].filter((n) => !inherited.includes(n));
  const stdio: Entry[] = [
    0,
    route.kind === 'inherit' ? 1 : route.stdout,
    route.kind === 'pipe' && route.mergesStderr ? route.stdout : 2,
  ];
  const put = (n: number, entry: Entry): void => {
    while (stdio.length <= n) stdio.push('ignore');
    stdio[n] = entry;
  };
  for (const n of inherited) put(n, n);
  const scriptDescriptor = needsScript ? (free.pop() ?? null) : null;
  if (scriptDescriptor !== null) put(scriptDescriptor, 'pipe');
  const statements: string[] = [];
  for (const n of [0, 1, 2]) {
    const entry = stdio[n] ?? n;
    if (facts.descriptors !== null && !facts.descriptors.has(n)) statements.push(`exec ${n}<&-`);
    else if (typeof entry === 'number' && facts.nonBlocking.includes(n)) {
      // libuv makes 0, 1 and 2 blocking in the child, for everybody who shares them: they travel under another number.
      const other = free.pop();
      if (other === undefined) continue;
      put(other, entry);
      stdio[n] = 'ignore';
      statements.push(`exec ${n}<&${other} ${other}<&-`);
    }
  }
  return { stdio, statements, scriptDescriptor };
}

/** Those that `spawn` has to name; the others pass by themselves. */
function listInherited(open: ReadonlySet<number> | null): number[] {
  if (open === null) return [];
  const inherited = [...open].filter((n) => n > 2 && n <= MARKED_ANYWAY);
  for (let n = MARKED_ANYWAY + 1; open.has(n); n += 1) inherited.push(n);
  return inherited;
}

/** Of the first three. */
const released = new Set<number>();

/**
 * Lets go of a descriptor of the caller, so that drift neither keeps a pipe open that the command has closed nor, when
 * Node exits, undoes what the command did to the terminal. /dev/null takes the place of the first three.
 */
export function releaseDescriptor(descriptor: number): void {
  if (released.has(descriptor)) return;
  try {
    closeSync(descriptor);
    if (descriptor > 2) return;
    released.add(descriptor);
    openSync('/dev/null', 'r+');
  } catch {
    // Closed already.
  }
}

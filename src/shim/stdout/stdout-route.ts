import {
  closeSync,
  constants,
  fstatSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { releaseDescriptor } from '../command/descriptors.ts';
import type { LaunchFacts } from '../launch/launch-facts.ts';

/**
 * How the command's stdout reaches the caller. `inherit` changes nothing and shows nothing. `pipe`: a real pipe in
 * front of the caller's pipe, because Node's own is a socket, which cannot be opened again by name and gives its
 * writer another error than a pipe. `socket`: Node's, where the caller's is a socket too.
 */
export type StdoutRoute =
  | { readonly kind: 'inherit' }
  | {
      readonly kind: 'pipe';
      readonly readEnd: number;
      readonly stdout: number;
      readonly mergesStderr: boolean;
    }
  | { readonly kind: 'socket'; readonly stdout: 'pipe' };

const inherit: StdoutRoute = { kind: 'inherit' };

/** Closes the launcher's pipe if it is not needed. */
export function chooseStdoutRoute({ pipe, nonBlocking }: LaunchFacts, isWanted: boolean): StdoutRoute {
  const route = isWanted ? routeFor(pipe, nonBlocking.includes(1)) : inherit;
  if (pipe !== null && route.kind !== 'pipe') releaseDescriptor(pipe);
  return route;
}

function routeFor(launchersPipe: number | null, isNonBlocking: boolean): StdoutRoute {
  const [stdin, stdout, stderr] = [0, 1, 2].map(statOf);
  if (!stdout) return inherit;
  const mergesStderr = isSame(stdout, stderr);
  if (stdout.isFIFO()) {
    const pipe = openPipe(launchersPipe, isNonBlocking ? constants.O_NONBLOCK : 0);
    return pipe ? { kind: 'pipe', readEnd: pipe.readEnd, stdout: pipe.writeEnd, mergesStderr } : inherit;
  }
  // One socket for several descriptors cannot be taken apart, and its two directions may be in use.
  const isPlain = stdout.isSocket() && !mergesStderr && !isSame(stdout, stdin) && !isNonBlocking;
  return isPlain ? { kind: 'socket', stdout: 'pipe' } : inherit;
}

interface Pipe {
  readonly readEnd: number;
  readonly writeEnd: number;
}

/** A pipe to the command, or null where none can be had: then stdout is not seen, and nothing else changes. */
function openPipe(launchersPipe: number | null, writeFlags: number): Pipe | null {
  try {
    if (launchersPipe !== null && fstatSync(launchersPipe).isFIFO()) {
      const pipe = openBothEnds(`/proc/self/fd/${launchersPipe}`, writeFlags);
      closeSync(launchersPipe);
      dropHereDocument(pipe.readEnd);
      return pipe;
    }
    return makeFifo(writeFlags);
  } catch {
    return null;
  }
}

function openBothEnds(path: string, writeFlags: number): Pipe {
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { readEnd, writeEnd: openSync(path, constants.O_WRONLY | writeFlags) };
}

/** The empty line that the launcher's here-document consists of. */
function dropHereDocument(readEnd: number): void {
  readSync(readEnd, Buffer.alloc(1));
}

function makeFifo(writeFlags: number): Pipe | null {
  const folder = mkdtempSync(join(process.env['TMPDIR'] || '/tmp', 'drift-'));
  try {
    const path = join(folder, 'stdout');
    const { spawnSync } = process.getBuiltinModule('node:child_process');
    const { status } = spawnSync('mkfifo', ['-m', '600', path], { stdio: 'ignore' });
    return status === 0 ? openBothEnds(path, writeFlags) : null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function statOf(descriptor: number): Stats | null {
  try {
    return fstatSync(descriptor);
  } catch {
    return null;
  }
}

const isSame = (one: Stats, other: Stats | null | undefined): boolean =>
  one.dev === other?.dev && one.ino === other.ino;

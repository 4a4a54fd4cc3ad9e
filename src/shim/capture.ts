import { writeSync } from 'node:fs';
import type { CaptureFailureReason } from '../contract/event.ts';
import { isNamed, locateConfig, locateState } from '../spool/locate-state.ts';
import { errorCode, nodeIo } from '../spool/spool-io.ts';
import { stateFormat, stateLayout } from '../spool/state-layout.ts';
import { whyNotPrivate } from '../spool/state-privacy.ts';
import { addToTally } from '../spool/tally.ts';
import { readBinding, readSmallFile } from './binding.ts';
import { CaptureFailed } from './capture-failed.ts';
import { type Opening, openSession, type Session } from './capture-session.ts';
import type { CommandOutcome } from './command-outcome.ts';
import { isDryRun, isLoopxRefresh } from './loopx-run.ts';
import { recordTransition } from './record-transition.ts';
import { readRefreshOptions } from './refresh-options.ts';
import { diagnose, explain, leaveReport, type RefreshReport } from './refresh-report.ts';

const MAX_FORMAT_BYTES = 256;

/** The capture around one wrapped command. Neither step throws, writes to the host's streams or waits for long. */
export interface Capture {
  /** Only a LoopX host says on stdout what it wrote; for any other one, stdout is the command's alone. */
  readonly wantsStdout: boolean;
  /** Called once, when the command has ended and its output has been handed on; before drift itself exits. */
  afterCommand(outcome: CommandOutcome): void;
}

type Say = (line: string) => void;

/**
 * Finds the observer and takes the before-snapshot; called just before the command starts.
 * Null: nothing to record (no state, `off`, a dry run), so the command only passes through.
 *
 * @param words the words between `refresh` and the first `--`
 * @param command the words after it
 */
export function openCapture(words: readonly string[], command: readonly string[]): Capture | null {
  const options = readRefreshOptions(words, process.env);
  const say: Say = (line) => {
    if (options.explain) quietly(() => writeSync(2, `drift: ${line}\n`));
  };
  for (const word of options.unknown) say(`unknown option ${word}`);
  const found = findOpening(options, command);
  if ('passThrough' in found) {
    say(`${found.passThrough}; the command only passes through`);
    return null;
  }
  const session = attempt(() => openSession(found));
  return {
    wantsStdout: found.host === 'loopx',
    afterCommand: (outcome) => finish(found, session, { outcome, say }),
  };
}

/** Everything that decides whether anything is recorded at all. */
function findOpening(
  options: Opening['options'],
  command: readonly string[],
): Opening | { readonly passThrough: string } {
  const where = { stateDir: options.stateDir, env: process.env, cwd: workingFolder() };
  const state = locateState(where);
  if (state === null) return { passThrough: 'no observer found' };
  const open = whyNotPrivate(state, isNamed(where));
  if (open !== null) return { passThrough: `${state}: ${open}` };
  const layout = stateLayout(state);
  const format = readSmallFile(layout.format, MAX_FORMAT_BYTES)?.toString('utf8').trim();
  if (format !== stateFormat) return { passThrough: `${state}: no state of this version` };
  const config = locateConfig(state, options.config, where);
  const read = readBinding({ observer: layout.observer, config });
  if ('passThrough' in read) {
    if (read.passThrough !== 'no_observer') quietly(() => diagnose(layout, 'file', read.passThrough));
    return { passThrough: `${state}: ${read.passThrough}` };
  }
  const { binding } = read;
  if (binding.mode === 'off') return { passThrough: `${state}: mode is off` };
  for (const word of options.unknown)
    quietly(() => diagnose(layout, binding.diagnostics, `unknown option ${nameOf(word)}`));
  const host = binding.host === 'auto' ? (isLoopxRefresh(command) ? 'loopx' : 'generic') : binding.host;
  if (host === 'loopx' && (isDryRun(command) || !isLoopxRefresh(command)))
    return { passThrough: `${state}: nothing that a refresh would write` };
  return { state, layout, binding, options, command, host };
}

/** A word that was meant as an option, without a value that may be anybody's secret. */
const nameOf = (word: string): string => /^--?[a-z][a-z0-9-]{0,39}/i.exec(word)?.[0] ?? '(a word)';

type Attempted<T> = { readonly value: T } | { readonly error: unknown };

function attempt<T>(step: () => T): Attempted<T> {
  try {
    return { value: step() };
  } catch (error) {
    return { error };
  }
}

/** Records what happened and leaves a report; whatever goes wrong becomes a typed, tallied reason. */
function finish(
  { layout, binding, state }: Opening,
  session: Attempted<Session>,
  { outcome, say }: { readonly outcome: CommandOutcome; readonly say: Say },
): void {
  const recorded = 'error' in session ? session : attempt(() => recordTransition(session.value, outcome));
  let report: RefreshReport;
  if ('error' in recorded) {
    const reason = reasonOf(recorded.error);
    quietly(() => addToTally(nodeIo, layout, reason));
    const line = `capture_failed ${reason} ${errorCode(recorded.error) ?? ''}`.trim();
    quietly(() => diagnose(layout, binding.diagnostics, line));
    report = { outcome: 'capture_failed', reason };
  } else report = recorded.value;
  quietly(() => leaveReport(layout, report, new Date().toISOString()));
  say(explain(report, state));
}

function reasonOf(error: unknown): CaptureFailureReason {
  if (error instanceof CaptureFailed) return error.reason;
  return errorCode(error) ? 'write_failed' : 'internal';
}

function quietly(step: () => void): void {
  try {
    step();
  } catch {
    // Reporting about drift must not become the host's trouble.
  }
}

function workingFolder(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

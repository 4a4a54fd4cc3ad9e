import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs';
import type { StateLayout } from '../spool/state-layout.ts';

/** What came of one refresh, for `status` and `--explain`. */
export interface RefreshReport {
  /** `captured`, `duplicate_event`, `capture_failed`, `no_new_run`, `goal_mismatch`. */
  readonly outcome: string;
  readonly reason: string | null;
  readonly event_id?: string;
  readonly sequence?: number;
}

const MAX_DIAGNOSTIC_BYTES = 65_536;

/** Leaves the outcome where `status` finds it. A torn write reads as unknown; nothing depends on it. */
export function leaveReport(layout: StateLayout, report: RefreshReport, at: string): void {
  writePrivate(layout.lastRefresh, 'over', `${JSON.stringify({ at, ...report })}\n`);
}

/** Adds one line to the diagnostics, which are bounded: at 64 KiB the file becomes the old one. Never any content. */
export function diagnose(layout: StateLayout, where: 'file' | 'stderr' | 'off', line: string): void {
  if (where === 'off') return;
  if (where === 'stderr') {
    writeSync(2, `drift: ${line}\n`);
    return;
  }
  if (
    writePrivate(layout.diagnostics, 'after', `${new Date().toISOString()} ${line}\n`) > MAX_DIAGNOSTIC_BYTES
  )
    renameSync(layout.diagnostics, `${layout.diagnostics}.1`);
}

/**
 * Writes over what is there, or after it, and gives the file's size back. Never follows a link, never waits on a pipe. A
 * rest is cut off afterwards, because ext4 takes a file that was emptied first for one to be put to disk.
 */
function writePrivate(file: string, where: 'over' | 'after', text: string): number {
  const { O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_APPEND } = constants;
  const how = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | (where === 'after' ? O_APPEND : 0);
  const fd = openSync(file, how, 0o600);
  try {
    fchmodSync(fd, 0o600);
    const written = writeSync(fd, text);
    const { size } = fstatSync(fd);
    if (where === 'over' && size > written) ftruncateSync(fd, written);
    return size;
  } finally {
    closeSync(fd);
  }
}

/** The same in words, for `--explain`. */
export function explain(report: RefreshReport, state: string): string {
  const { outcome, reason, event_id: event, sequence } = report;
  if (outcome === 'captured') return `${state}: captured as #${sequence} ${event?.slice(0, 12)} (${reason})`;
  return `${state}: ${outcome}${reason ? ` (${reason})` : ''}; no event was queued`;
}

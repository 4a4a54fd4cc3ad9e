import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../contract/finding.ts';
import { readAggregate } from '../drain/aggregate.ts';
import { readOwnFile } from '../json/read-json-file.ts';
import { type Position, positionDigest, readPosition } from '../spool/cursor.ts';
import { isFromFuture, lockAge } from '../spool/drain-lock.ts';
import { readPrivateFile } from '../spool/private-file.ts';
import { readEvent } from '../spool/read-event.ts';
import { isJournalLine } from '../spool/receipt-journal.ts';
import { readRetention } from '../spool/retention.ts';
import { nodeIo } from '../spool/spool-io.ts';
import type { StateLayout } from '../spool/state-layout.ts';
import { hasEntry } from '../spool/tail.ts';
import { namesIn } from './examine-state.ts';

const MAX_LINES_BYTES = 1_073_741_824;
const START: Position = { sequence: -1, digest: positionDigest(null) };

const isThere = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;

/** The files that say how far somebody has come: the hint of the tail, the cursor, the aggregate. */
export function examineMarks(
  layout: StateLayout,
  tail: number,
): { readonly judgedThrough: number; readonly findings: readonly Finding[] } {
  const findings: Finding[] = [];
  if (isThere(layout.head) && !isHint(layout)) findings.push({ reason: 'head_wrong', file: layout.head });
  const position = readPosition(nodeIo, layout);
  const isJudged = isThere(layout.aggregate) || namesIn(layout.journal).length > 0;
  if (position === null && (isThere(layout.cursor) || isJudged))
    findings.push({
      reason: 'cursor_damaged',
      file: layout.cursor,
      detail: isThere(layout.cursor) ? 'neither half can be read' : 'it is missing',
    });
  const aggregate = readAggregate(nodeIo, layout);
  if (aggregate === null && (isThere(layout.aggregate) || (position ?? START).sequence >= 0))
    findings.push({ reason: 'aggregate_damaged', file: layout.aggregate });
  if (isThere(layout.floor) && readRetention(nodeIo, layout) === null)
    findings.push({ reason: 'retention_damaged', file: layout.floor });
  const { sequence, digest } = position ?? { ...START, sequence: Math.min(aggregate?.through ?? -1, tail) };
  if (isRolledBack(layout, { sequence, digest }, tail))
    findings.push({
      reason: 'state_rolled_back',
      file: layout.events,
      detail: `entries up to ${sequence} were judged, the newest here is ${tail}`,
    });
  return { judgedThrough: Math.min(sequence, tail), findings };
}

/** Empty is what a writer leaves that was killed at the wrong moment. */
function isHint(layout: StateLayout): boolean {
  const text = readPrivateFile(nodeIo, layout.head, 32)?.toString('latin1');
  if (text === '') return true;
  return text !== undefined && /^\d{1,12}\n$/.test(text) && hasEntry(nodeIo, layout, Number(text));
}

function isRolledBack(layout: StateLayout, { sequence, digest }: Position, tail: number): boolean {
  if (sequence > tail) return true;
  if (sequence < 0 || digest === positionDigest(null)) return false;
  const decoded = readEvent(nodeIo, layout, sequence);
  return decoded?.ok === true && positionDigest(decoded.stored.digest) !== digest;
}

/** Lines of the journal and of the labels that nobody can read any more. */
export function examineLines(layout: StateLayout): Finding[] {
  const journals = namesIn(layout.journal).map((name) => join(layout.journal, name));
  return [
    ...journals.flatMap((file) => linesFinding(file, 'journal_damaged', isJournalLine)),
    ...linesFinding(layout.labels, 'labels_damaged', isObject),
  ];
}

function linesFinding(
  file: string,
  reason: 'journal_damaged' | 'labels_damaged',
  isWhole: (line: string) => boolean,
): Finding[] {
  const read = readOwnFile(file, MAX_LINES_BYTES);
  const lines = read.ok ? read.value.toString('utf8').split('\n') : [];
  const damaged = lines.filter((line) => line !== '' && !isWhole(line)).length;
  if (damaged === 0) return [];
  // A result that is lost with its line is found at its entry; a line alone is what a killed drain leaves.
  const isNotice = reason === 'journal_damaged' ? { isNotice: true as const } : {};
  return [{ reason, file, detail: `${damaged} line(s)`, ...isNotice }];
}

function isObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

/** A lock whose holder gives no sign of life; the next drain takes it over by itself. */
export function examineLock(layout: StateLayout): Finding[] {
  const file = layout.drainLock;
  const age = lockAge(layout);
  if (age === null) return [];
  if (isFromFuture(layout)) return [{ reason: 'lock_from_future', file }];
  if (!age.isStale) return [];
  const detail = `${Math.round(age.ms / 1_000)} s without a sign of life`;
  return [{ reason: 'lock_stale', file, detail, isNotice: true }];
}

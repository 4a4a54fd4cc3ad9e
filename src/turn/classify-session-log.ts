import type { Failure } from '../contract/failure.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import type { LogFormat, TurnReading } from '../contract/turn.ts';
import { isJsonObject, type JsonObject } from '../json/json-object.ts';
import { detectFormat } from './detect-format.ts';
import { type LogLine, openLog } from './log-lines.ts';
import type { LogReader, ReaderOptions, RowFate } from './log-reader.ts';
import { createClaudeReader } from './read-claude-log.ts';
import { createCodexReader } from './read-codex-log.ts';
import { createPiReader } from './read-pi-log.ts';
import { beforeAnything, endOfState, flagsOfState } from './turn-state.ts';

export interface ClassifyOptions extends ReaderOptions {
  /** Told by the rows when left out. */
  readonly format?: LogFormat | undefined;
  /** Only so much of the file counts: what it held at another time. */
  readonly sizeBytes?: number | undefined;
}

/** A reading, and whether the watchdog's reminder came after the last message. */
export interface SessionReading extends TurnReading {
  readonly isReminded: boolean;
}

const readers: Readonly<Record<LogFormat, (options: ReaderOptions) => LogReader>> = {
  pi: createPiReader,
  claude: createClaudeReader,
  codex: createCodexReader,
};

/**
 * How the last turn in a session log ended. Streams: one line is held at a time, and of a forked log one small state an
 * entry, for the newest hundred thousand. Never changes the file; a file that grows meanwhile is read as it was at the
 * start. Fails with `log_format_unknown`, `turn_not_found` or as opening the file does.
 */
export function classifySessionLog(
  file: string,
  options: ClassifyOptions = {},
): Result<SessionReading, Failure> {
  const log = openLog(file, options.sizeBytes);
  if (!log.ok) return log;
  try {
    return readLog(log.value.lines(), file, options);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return fail({ reason: 'file_unreadable', file, detail: `${code} ${message}` });
  } finally {
    log.value.close();
  }
}

/** What the rows of a log add up to. */
interface Rows {
  readonly format: LogFormat | null;
  readonly reader: LogReader | null;
  readonly counts: Readonly<Record<RowFate | 'malformed', number>>;
  readonly isTruncated: boolean;
}

function readRows(lines: Iterable<LogLine>, options: ClassifyOptions): Rows {
  const counts = { entry: 0, header: 0, sidechain: 0, unknown_type: 0, duplicate: 0, malformed: 0 };
  let reader: LogReader | null = null;
  let format = options.format ?? null;
  let isTruncated = false;
  let previous: string | null = null;
  const fateOf = (row: JsonObject): RowFate => {
    format ??= detectFormat(row);
    reader ??= format === null ? null : readers[format](options);
    return reader?.read(row) ?? 'unknown_type';
  };
  for (const { text, isWhole } of lines) {
    const row = text === null ? null : parseRow(text);
    if (row !== null) counts[text === previous ? 'duplicate' : fateOf(row)] += 1;
    // Cut off while it was written, or NUL bytes in place of what power loss took.
    else if (!isWhole) isTruncated = true;
    else if (text !== '') counts.malformed += 1;
    if (row !== null) previous = text;
  }
  return { format, reader, counts, isTruncated };
}

function readLog(
  lines: Iterable<LogLine>,
  file: string,
  options: ClassifyOptions,
): Result<SessionReading, Failure> {
  const { format, reader, counts, isTruncated } = readRows(lines, options);
  const { entry, header: _header, ...skipped } = counts;
  if (format === null && counts.unknown_type + counts.malformed > 0)
    return fail({ reason: 'log_format_unknown', file });
  const empty = options.turnId === undefined ? beforeAnything : null;
  const state = reader === null ? empty : reader.state();
  if (state === null) return fail({ reason: 'turn_not_found', file, field: options.turnId ?? '' });
  const flags = flagsOfState(state);
  return ok({
    format,
    end: endOfState(state),
    error_message: state.stop === 'error' ? state.errorMessage : null,
    evidence: {
      last_assistant: state.lastAssistant,
      last_boundary: state.lastBoundary,
      stop_reason: state.stopReason,
      turn_id: state.turnId,
    },
    flags: isTruncated ? [...flags, 'truncated_tail'] : flags,
    entries: entry,
    skipped,
    isReminded: state.isReminded,
  });
}

function parseRow(text: string): JsonObject | null {
  try {
    const row: unknown = JSON.parse(text);
    return isJsonObject(row) ? row : null;
  } catch {
    return null;
  }
}

/** The view without a fifth end and without flags. */
export const compatibleView = (reading: TurnReading): TurnReading => ({
  ...reading,
  end: reading.end === 'unfinished' ? 'stop' : reading.end,
  flags: [],
});

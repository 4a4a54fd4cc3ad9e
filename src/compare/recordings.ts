import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type RecordedRequests,
  recordedRequestsSchema,
  recordedResponseSchema,
  recordedResponseVersion,
} from '../contract/comparison.ts';
import type { Failure } from '../contract/failure.ts';
import { parseShape } from '../contract/parse.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import type { ExchangeOutcome } from '../evaluate/system-one/wire/exchange.ts';
import { parseStrictJson } from '../json/strict-json.ts';
import { replaceFile } from '../spool/durable-file.ts';
import { errorCode, nodeIo } from '../spool/spool-io.ts';

const maxRecordingBytes = 1_048_576;

const failed = (reason: string): ExchangeOutcome => ({ outcome: 'failed', reason, detail: null });

/**
 * The answer that was recorded for a request. Missing, or no request known: `no_recorded_response`. Not a recording, or
 * one filed under another request: `invalid_recorded_response`. Both end as a failed round (contract §11).
 */
export function readRecording(folder: string, requestKey: string | null): ExchangeOutcome {
  if (requestKey === null) return failed('no_recorded_response');
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(folder, `${requestKey}.json`));
  } catch (error) {
    return failed(errorCode(error) === 'ENOENT' ? 'no_recorded_response' : 'invalid_recorded_response');
  }
  const parsed = bytes.length > maxRecordingBytes ? null : parseStrictJson(bytes.toString('utf8'));
  const recording = recordedResponseSchema.safeParse(parsed?.ok ? parsed.value : null);
  return recording.success && recording.data.request_key === requestKey
    ? { outcome: 'answered', body: JSON.stringify(recording.data.response) }
    : failed('invalid_recorded_response');
}

export interface Recording {
  readonly requestKey: string;
  /** The body of the response, as it came. */
  readonly body: string;
  /** ISO 8601. */
  readonly recordedAt: string;
  readonly workerTimingNs: number | null;
}

/** Files an answer under its request. False for a body that is no JSON object: such an answer cannot be recorded. */
export function writeRecording(folder: string, recording: Recording): boolean {
  const parsed = parseStrictJson(recording.body);
  if (!parsed.ok || typeof parsed.value !== 'object' || parsed.value === null) return false;
  const document = {
    schema_version: recordedResponseVersion,
    request_key: recording.requestKey,
    recorded_at: recording.recordedAt,
    response: parsed.value,
    worker_timing_ns: recording.workerTimingNs,
  };
  const bytes = Buffer.from(`${JSON.stringify(document, null, 1)}\n`);
  replaceFile(nodeIo, join(folder, `${recording.requestKey}.json`), bytes, { staging: folder });
  return true;
}

/** `requests.json` in a folder of recordings; null where there is none: then our own request is looked up. */
export function readRecordedRequests(folder: string): Result<RecordedRequests | null, Failure> {
  const file = join(folder, 'requests.json');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return ok(null);
    return fail({ reason: 'recording_invalid', file, detail: errorCode(error) ?? 'unreadable' });
  }
  const parsed = parseStrictJson(text);
  if (!parsed.ok) return fail({ reason: 'recording_invalid', file, detail: parsed.fault.fault });
  return parseShape(recordedRequestsSchema, parsed.value, { file, reason: 'recording_invalid' });
}

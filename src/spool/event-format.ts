import { type DriftEvent, eventSchemaVersion } from '../contract/event.ts';
import { isEvent } from './event-shape.ts';
import { sha256 } from './lazy-crypto.ts';

/** Line 1 of an event file: digest of the JSON, a space, the event id. */
const LINE_ONE = /^([0-9a-f]{64}) ([0-9a-f]{64})$/;
export const lineOneBytes = 130;

/** Why bytes are not an event of this version. */
export type EventDamage =
  | 'not_regular'
  | 'line_one'
  | 'cut'
  | 'digest'
  | 'json'
  | 'version'
  | 'shape'
  | 'sequence';

export interface StoredEvent {
  readonly event: DriftEvent;
  /** Digest of the JSON: what the successor states as `prev`. */
  readonly digest: string;
  /** Where the texts begin in the file. */
  readonly contentAt: number;
}

export type DecodedEvent =
  | { readonly ok: true; readonly stored: StoredEvent }
  | {
      readonly ok: false;
      readonly damage: EventDamage;
      /** What can still be made out; null where nothing can. */
      readonly eventId: string | null;
      readonly statedDigest: string | null;
      /** Of the JSON as it is now. */
      readonly contentDigest: string | null;
    };

/**
 * The parts of an event file. The texts of changed files follow the JSON in the order of `files`; offsets of texts
 * that lie in this very event are relative to the first of them while in JSON, because the JSON's own length decides
 * where that is.
 */
export function encodeEvent(event: DriftEvent): { header: Buffer; digest: string } {
  const json = JSON.stringify(event);
  const digest = sha256(json);
  return { header: Buffer.from(`${digest} ${event.event_id}\n${json}\n`), digest };
}

/**
 * Reads the head of an event file: line 1, the JSON, and where the texts begin. Texts are not checked here. A null
 * sequence: the file was reached by a marker and may be any entry.
 */
export function decodeEvent(bytes: Buffer, sequence: number | null): DecodedEvent {
  const end = bytes.indexOf(0x0a, lineOneBytes);
  const json = bytes.subarray(Math.min(lineOneBytes, bytes.length), end < 0 ? bytes.length : end);
  const contentDigest = end < 0 ? null : sha256(json);
  const [, digest, eventId] = LINE_ONE.exec(bytes.subarray(0, lineOneBytes - 1).toString('latin1')) ?? [];
  const damaged = (damage: EventDamage, id: string | null, stated: string | null): DecodedEvent => ({
    ok: false,
    damage,
    eventId: id,
    statedDigest: stated,
    contentDigest,
  });
  if (!digest || !eventId || bytes[lineOneBytes - 1] !== 0x0a)
    return damaged('line_one', idWithin(bytes), null);
  if (end < 0) return damaged('cut', eventId, digest);
  if (contentDigest !== digest) return damaged('digest', eventId, digest);
  const event = parseEvent(json);
  if (event === null) return damaged('json', eventId, digest);
  if (event.schema_version !== eventSchemaVersion) return damaged('version', eventId, digest);
  if (!isEvent(event)) return damaged('shape', eventId, digest);
  if ((sequence !== null && event.sequence !== sequence) || event.event_id !== eventId)
    return damaged('sequence', event.event_id, digest);
  return { ok: true, stored: { event: placeTexts(event, end + 1), digest, contentAt: end + 1 } };
}

/** The id that the JSON names, where line 1 does not any more. */
function idWithin(bytes: Buffer): string | null {
  const head = bytes.subarray(0, 4 * lineOneBytes).toString('latin1');
  return /"event_id":"([0-9a-f]{64})"/.exec(head)?.[1] ?? null;
}

function parseEvent(json: Buffer): { readonly schema_version?: unknown } | null {
  try {
    const value: unknown = JSON.parse(json.toString('utf8'));
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** Makes every text place absolute. */
function placeTexts(event: DriftEvent, contentAt: number): DriftEvent {
  const files = event.files.map((file) =>
    file.text?.sequence === event.sequence
      ? { ...file, text: { sequence: event.sequence, offset: file.text.offset + contentAt } }
      : file,
  );
  return { ...event, files };
}

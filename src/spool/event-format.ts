import { type DriftEvent, eventSchemaVersion } from '../contract/event.ts';
import { createHash } from './lazy-crypto.ts';

/** Line 1 of an event file: digest of the JSON, a space, the event id. */
const LINE_ONE = /^([0-9a-f]{64}) ([0-9a-f]{64})$/;
export const lineOneBytes = 130;

export const sha256 = (bytes: string | Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** Why bytes are not an event of this version. */
export type EventDamage = 'line_one' | 'digest' | 'json' | 'version' | 'sequence' | 'cut';

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
      readonly eventId: string | null;
      readonly statedDigest: string | null;
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
  const lineOne = LINE_ONE.exec(bytes.subarray(0, lineOneBytes - 1).toString('latin1'));
  const [, digest, eventId] = lineOne ?? [];
  if (!digest || !eventId || bytes[lineOneBytes - 1] !== 0x0a)
    return { ok: false, damage: 'line_one', eventId: null, statedDigest: null };
  const damaged = (damage: EventDamage): DecodedEvent => ({
    ok: false,
    damage,
    eventId,
    statedDigest: digest,
  });
  const end = bytes.indexOf(0x0a, lineOneBytes);
  if (end < 0) return damaged('cut');
  const json = bytes.subarray(lineOneBytes, end);
  if (sha256(json) !== digest) return damaged('digest');
  const event = parseEvent(json);
  if (event === null) return damaged('json');
  if (event.schema_version !== eventSchemaVersion) return damaged('version');
  if ((sequence !== null && event.sequence !== sequence) || event.event_id !== eventId)
    return damaged('sequence');
  return { ok: true, stored: { event: placeTexts(event, end + 1), digest, contentAt: end + 1 } };
}

function parseEvent(json: Buffer): DriftEvent | null {
  try {
    return JSON.parse(json.toString('utf8')) as DriftEvent;
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

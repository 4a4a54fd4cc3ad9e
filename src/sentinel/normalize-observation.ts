import { createHash } from 'node:crypto';
import {
  type ObservationFault,
  type ObservationId,
  observationIds,
  observationSchemaVersion,
  type ProgressObservation,
  type ResultClass,
  resultClasses,
} from '../contract/observation.ts';
import { asciiJson, compactSeparators } from '../json/ascii-json.ts';
import { asJsonObject, isJsonObject, type JsonObject } from '../json/json-object.ts';
import { stripText } from './strip-text.ts';

export type NormalizeObservationResult =
  | { readonly ok: true; readonly observation: ProgressObservation }
  | { readonly ok: false; readonly reason: ObservationFault; readonly field: string };

const MAX_EVIDENCE_IDS = 12;
const STABLE_ID = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/;

/**
 * Reads a typed claim (contract §2, §13.4): identifiers stripped, empty ones dropped, evidence ids distinct and sorted,
 * the fingerprint computed and a stored one ignored. Numbers and other values are not turned into identifiers.
 */
export function normalizeObservation(input: { readonly observation: unknown }): NormalizeObservationResult {
  const { observation } = asJsonObject(input);
  if (isOwn(observation)) return { ok: true, observation };
  if (!isJsonObject(observation)) return { ok: false, reason: 'not_an_object', field: '' };
  try {
    return { ok: true, observation: sealed(readObservation(observation)) };
  } catch (fault) {
    if (fault instanceof ClaimFault) return { ok: false, reason: fault.reason, field: fault.field };
    throw fault;
  }
}

/** Observations that were made here. They cannot be changed, so they need not be read again. */
const own = new WeakSet<object>();

const isOwn = (value: unknown): value is ProgressObservation =>
  typeof value === 'object' && value !== null && own.has(value);

function sealed(observation: ProgressObservation): ProgressObservation {
  Object.freeze(observation.evidence_ids);
  own.add(Object.freeze(observation));
  return observation;
}

class ClaimFault extends Error {
  readonly reason: ObservationFault;
  readonly field: string;
  constructor(reason: ObservationFault, field: string) {
    super(`${field}: ${reason}`);
    this.reason = reason;
    this.field = field;
  }
}

function readObservation(raw: JsonObject): ProgressObservation {
  checkVersion(raw['schema_version']);
  const result = raw['result_class'];
  if (!resultClasses.includes(result as ResultClass))
    throw new ClaimFault(result === undefined ? 'missing' : 'not_allowed', 'result_class');
  const identifiers = observationIds.flatMap((field) => {
    const id = idAt(raw[field], field);
    return id === null ? [] : [[field, id] as [ObservationId, string]];
  });
  const evidence = evidenceAt(raw['evidence_ids']);
  const complete = raw['coverage_complete'];
  if (complete !== undefined && complete !== null && typeof complete !== 'boolean')
    throw new ClaimFault('wrong_type', 'coverage_complete');
  const identity = {
    result_class: result as ResultClass,
    ...Object.fromEntries(identifiers),
    ...(evidence.length > 0 ? { evidence_ids: evidence } : {}),
    ...(typeof complete === 'boolean' ? { coverage_complete: complete } : {}),
  };
  if (Object.keys(identity).length === 1) throw new ClaimFault('no_identifier', '');
  return { schema_version: observationSchemaVersion, ...identity, fingerprint: fingerprintOf(identity) };
}

function checkVersion(version: unknown): void {
  if (version === undefined || version === null || version === '') return;
  if (typeof version !== 'string' || stripText(version) !== observationSchemaVersion)
    throw new ClaimFault('unknown_version', 'schema_version');
}

/** The identifier, or null where there is none. */
function idAt(value: unknown, field: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw new ClaimFault('wrong_type', field);
  const id = stripText(value);
  if (id === '') return null;
  if (!STABLE_ID.test(id)) throw new ClaimFault('not_allowed', field);
  return id;
}

function evidenceAt(value: unknown): string[] {
  if (value === undefined || value === null || value === '') return [];
  if (!Array.isArray(value)) throw new ClaimFault('wrong_type', 'evidence_ids');
  const ids = new Set<string>();
  for (const item of value) {
    const id = idAt(item, 'evidence_ids');
    if (id === null) throw new ClaimFault('missing', 'evidence_ids');
    ids.add(id);
  }
  if (ids.size > MAX_EVIDENCE_IDS) throw new ClaimFault('too_many', 'evidence_ids');
  return [...ids].sort();
}

const fingerprintOf = (identity: object): string =>
  createHash('sha256').update(asciiJson(identity, compactSeparators)).digest('hex').slice(0, 16);

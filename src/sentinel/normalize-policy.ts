import {
  driftThresholdRange,
  type PolicyMode,
  type PolicySignal,
  type ProgressReviewPolicy,
  policyModes,
  policySchemaVersion,
  policySignals,
} from '../contract/policy.ts';
import { asJsonObject, isJsonObject, type JsonObject } from '../json/json-object.ts';
import { stripText } from './strip-text.ts';

/** What holds where nothing is stored. */
export const defaultPolicy: ProgressReviewPolicy = {
  schema_version: policySchemaVersion,
  mode: 'off',
  signal: 'noul',
  drift_threshold: driftThresholdRange.min,
  contract_revision: null,
};

/**
 * Reads a stored policy block (contract §4, §13.2). No object: the defaults. One bad field, an explicit null included:
 * all defaults, so `off`, plus `invalid_configuration`. The stored schema version is not checked; keys that are not
 * known are ignored.
 */
export function normalizePolicy(input: { readonly block: unknown }): ProgressReviewPolicy {
  const { block } = asJsonObject(input);
  if (!isJsonObject(block)) return defaultPolicy;
  return policyOf(block) ?? { ...defaultPolicy, invalid_configuration: true };
}

function policyOf(block: JsonObject): ProgressReviewPolicy | null {
  const mode = wordOf(block['mode'], policyModes, defaultPolicy.mode) as PolicyMode | null;
  const signal = wordOf(block['signal'], policySignals, defaultPolicy.signal) as PolicySignal | null;
  const threshold =
    block['drift_threshold'] === undefined ? defaultPolicy.drift_threshold : block['drift_threshold'];
  const pin = pinOf(block['contract_revision']);
  if (mode === null || signal === null || !isDriftThreshold(threshold) || pin === undefined) return null;
  return { ...defaultPolicy, mode, signal, drift_threshold: threshold, contract_revision: pin };
}

function wordOf(value: unknown, words: readonly string[], missing: string): string | null {
  if (value === undefined) return missing;
  const word = typeof value === 'string' ? stripText(value) : '';
  return words.includes(word) ? word : null;
}

/** True for a whole number within the range. */
export const isDriftThreshold = (value: unknown): value is number =>
  Number.isInteger(value) &&
  (value as number) >= driftThresholdRange.min &&
  (value as number) <= driftThresholdRange.max;

/** The pinned revision, null for none, undefined for something that is neither. */
export function pinOf(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') return undefined;
  const pin = stripText(value).toLowerCase();
  if (pin === '') return null;
  return /^[0-9a-f]{64}$/.test(pin) ? pin : undefined;
}

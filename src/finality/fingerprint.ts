import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Observation } from '../contract/finality.ts';

/**
 * The digest of a state: sha256 hex over the canonical JSON (RFC 8785) of the five fields of an observation.
 * Null where the semantic state is no I-JSON (NaN, Infinity, a lone surrogate, a cycle, nesting too deep).
 *
 * RFC 8785 is drift's own choice of form: the digest is stable here, and not the one that another implementation
 * of these rules computes over its own JSON.
 */
export function fingerprintOf(observation: Observation): string | null {
  const {
    stage,
    deliverable_state,
    dependency_state,
    dependency_required_for_next_stage: required,
    semantic_state,
  } = observation;
  const text = canonicalText({
    stage,
    deliverable_state,
    dependency_state,
    dependency_required_for_next_stage: required,
    semantic_state,
  });
  return text === null ? null : createHash('sha256').update(text, 'utf8').digest('hex');
}

/** The library throws, with no type of its own, for each value that the standard does not cover. */
function canonicalText(value: Observation): string | null {
  try {
    return canonicalize(value) ?? null;
  } catch {
    return null;
  }
}

import { asJsonObject, isJsonObject } from '../json/json-object.ts';
import { textOf } from './strip-text.ts';

const freshOutcomes = ['continue', 'no_change', 'replan'];
const noFollowupAliases = ['no_followup', 'closed_no_followup', 'no_follow_up', 'vision_no_followup'];

/** What a reviewed plan says, as far as the exits ask (contract §8). */
export interface VisionPath {
  /** A summary, one of the three fresh outcomes and at least one evidence ref. */
  readonly fresh: boolean;
  /** `state` says no follow-up and the path stops: what a claim of no follow-up must come with. */
  readonly endsWithoutFollowup: boolean;
  /** Distinct and stripped. */
  readonly evidenceRefs: readonly string[];
}

/** Reads an agent vision; null for anything that is no object. Outcome `stop` is compared as it stands (§13.6). */
export function readVisionPath(vision: unknown): VisionPath | null {
  if (!isJsonObject(vision)) return null;
  const summary = textOf(asJsonObject(vision['vision_patch'])['acceptance_summary']);
  const path = asJsonObject(vision['path_delta']);
  const refs = Array.isArray(path['evidence_refs']) ? path['evidence_refs'].map(textOf) : [];
  const evidenceRefs = [...new Set(refs.filter((ref) => ref !== ''))];
  return {
    fresh: summary !== '' && freshOutcomes.includes(textOf(path['outcome'])) && evidenceRefs.length > 0,
    endsWithoutFollowup: saysNoFollowup(vision['state']) && path['outcome'] === 'stop',
    evidenceRefs,
  };
}

const saysNoFollowup = (state: unknown): boolean =>
  noFollowupAliases.includes(textOf(state).toLowerCase().replaceAll('-', '_'));

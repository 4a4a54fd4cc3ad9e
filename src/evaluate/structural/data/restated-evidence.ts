import { abstain, type Judgment, prove } from '../proof/proof.ts';
import { compareData, type DataValue } from './compare-data.ts';
import { readJson } from './json.ts';

/** Keys whose values a mere repetition of a run changes. */
const VOLATILE =
  /^(?:(?:\w+_)?(?:timestamp|time|date|datetime|at|id|uuid|run|nonce|seed|duration|elapsed|latency|took|ms|ns|us|seconds|pid|host|hostname|started|finished|created|updated|generated|recorded)(?:_(?:at|ms|ns|us|s|seconds|id|time))?|\w+(?:At|Id|Ms|Time|Timestamp|Duration|Seconds))$/i;

/** Proves that an evidence file says again what it said, with another time, duration or id. */
export function proveRestatedEvidence(before: string, after: string): Judgment {
  const one = readJson(before);
  const other = readJson(after);
  if (typeof one === 'string' || typeof other === 'string') return abstain('parse_error');
  const difference = compareData(settled(one), settled(other));
  return difference.equal ? prove('L4', 'restated') : abstain(difference.reason, difference.path);
}

function settled(value: DataValue, key = ''): DataValue {
  if (value.type === 'scalar') return VOLATILE.test(key) ? { type: 'scalar', text: 'volatile' } : value;
  if (value.type === 'list') return { type: 'list', items: value.items.map((item) => settled(item, key)) };
  return {
    type: 'map',
    entries: new Map([...value.entries].map(([name, inner]) => [name, settled(inner, name)])),
  };
}

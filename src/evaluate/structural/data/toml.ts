import { parse, TomlDate, type TomlValue } from 'smol-toml';
import { abstain, type Judgment, prove } from '../proof/proof.ts';
import { compareData, type DataValue } from './compare-data.ts';
import { commentClasses } from './hash-comments.ts';

/** Proves two TOML documents equal as data; keys and tables may change places where order says nothing. */
export function proveToml(before: string, after: string): Judgment {
  const one = readToml(before);
  const other = readToml(after);
  if (typeof one === 'string' || typeof other === 'string')
    return abstain('parse_error', typeof one === 'string' ? one : String(other));
  const difference = compareData(one, other);
  if (!difference.equal) return abstain(difference.reason, difference.path);
  const classes = commentClasses(before, after);
  if (classes === null) return abstain('value_differs', 'a comment that a tool reads');
  return difference.reordered
    ? prove('L2', 'key_order', ...classes.filter((one) => one === 'comment'))
    : prove('L1', ...classes);
}

/** The parser keeps milliseconds only. */
const FINE_TIME = /\d:\d\d\.\d{4}/;

function readToml(text: string): DataValue | string {
  try {
    if (FINE_TIME.test(text)) return 'a time finer than a millisecond';
    return readValue(parse(text, { integersAsBigInt: true }));
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n')[0] ?? 'not TOML') : 'not TOML';
  }
}

function readValue(value: TomlValue): DataValue {
  if (Array.isArray(value)) return { type: 'list', items: value.map(readValue) };
  if (value instanceof TomlDate) return { type: 'scalar', text: `date ${value.toISOString()}` };
  if (typeof value === 'object')
    return {
      type: 'map',
      entries: new Map(Object.entries(value).map(([key, inner]) => [key, readValue(inner as TomlValue)])),
    };
  const negativeZero = Object.is(value, -0) ? '-' : '';
  return { type: 'scalar', text: `${typeof value} ${negativeZero}${String(value)}` };
}

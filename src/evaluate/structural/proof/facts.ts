import type { Fact } from '../../evaluator.ts';
import type { Abstention, ChangeClass, Proof } from './proof.ts';

const WORDS: Readonly<Record<ChangeClass, string>> = {
  whitespace: 'white space (format)',
  format: 'format',
  comment: 'comments',
  docstring: 'docstrings (comments)',
  rename: 'renamed names',
  order: 'order of independent parts',
  key_order: 'order of keys',
  tests: 'tests that only restate constants',
  restated: 'evidence restated: only times, durations and ids differ',
};

/** What was proven about a file, in words: equal modulo what, and which names map to which. */
export function proofFact(path: string, { level, classes, renames, asserted }: Proof): Fact {
  const pairs = Object.entries(renames);
  const shown = pairs.slice(0, 12).map(([from, to]) => `${from} → ${to}`);
  const names =
    pairs.length === 0 ? '' : `; rename ${shown.join(', ')}${pairs.length > shown.length ? ', …' : ''}`;
  const constants = asserted && asserted.length > 0 ? `; asserted: ${asserted.join(', ')}` : '';
  const fact: Fact = {
    fact: 'proven_cosmetic',
    path,
    level,
    detail: `equal apart from ${classes.map((one) => WORDS[one]).join(', ')}${names}${constants}`,
  };
  return pairs.length === 0 ? fact : { ...fact, renames };
}

/** Why a file is not proven. */
export function abstentionFact(path: string, { reason, detail }: Abstention): Fact {
  return detail === undefined ? { fact: reason, path } : { fact: reason, path, detail };
}

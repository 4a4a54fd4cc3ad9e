import type { Config } from '../contract/config.ts';
import type { Evaluator } from './evaluator.ts';

/** The evaluator that a configuration names, loaded when it is first asked. */
export function chooseEvaluator(_config: Config): Evaluator {
  return async (input) => (await import('./structural/evaluate.ts')).evaluateStructural(input);
}

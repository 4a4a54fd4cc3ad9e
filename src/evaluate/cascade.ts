import type { Evaluation, Evaluator } from './evaluator.ts';

/**
 * Structural first; only what it abstains on goes to `remote`. The evaluation names the evaluator that judged, and on
 * what `remote` judged the facts say first why `structural` could not.
 */
export function cascade(structural: Evaluator, remote: Evaluator): Evaluator {
  return async (input) => {
    const proven = await structural(input);
    if (proven.status !== 'abstained') return proven;
    return join(proven, await remote(input));
  };
}

/** `remote` for everything but a proven cycle, which is never sent to a model (design §6). */
export function sparingCycles(structural: Evaluator, remote: Evaluator): Evaluator {
  return async (input) => (input.history.cycle ? structural(input) : remote(input));
}

const join = (first: Evaluation, second: Evaluation): Evaluation => ({
  ...second,
  facts: [...first.facts, ...second.facts],
});

import type { ChangeHistory, Fact } from '../evaluator.ts';

/** What the chain of checkpoints says about a change (design §6). */
export function historyFacts({ revisit, repetition, cycle }: ChangeHistory): Fact[] {
  const facts: Fact[] = [];
  if (cycle)
    facts.push({
      fact: 'cycle',
      level: 'L4',
      detail: 'a second full round trip: the files are back where they were, again',
    });
  if (revisit) facts.push({ fact: 'revisit', detail: 'the files are as they were at an earlier checkpoint' });
  if (repetition > 1) facts.push({ fact: 'repeat', detail: `this very change was made ${repetition} times` });
  return facts;
}

import type { Basis } from '../../src/contract/basis.ts';
import type { EvaluationInput, FileTransition } from '../../src/evaluate/evaluator.ts';

export const basis: Basis = {
  objective: 'Report the hottest hour of a day.',
  acceptance: ['hottest(readings) returns the hour and the value.', 'An empty day returns None.'],
};

type Side = string | Uint8Array | null;

/** Files by path, each as [before, after]; null: missing there. */
export function filesOf(sides: Readonly<Record<string, readonly [Side, Side]>>): FileTransition[] {
  const bytes = (side: Side): Uint8Array | null => (typeof side === 'string' ? Buffer.from(side) : side);
  return Object.entries(sides).map(([path, [before, after]]) => ({
    path,
    role: 'declared',
    before: bytes(before),
    after: bytes(after),
  }));
}

/** What an evaluator gets for a first, plain change. */
export function inputOf(
  sides: Readonly<Record<string, readonly [Side, Side]>> = { 'a.py': ['x = 1\n', 'x = 2\n'] },
  rest: Partial<EvaluationInput> = {},
): EvaluationInput {
  return {
    basis,
    files: filesOf(sides),
    history: { revisit: false, repetition: 1, cycle: false },
    structural: { constant_tests: true, restated_evidence: false, file_budget_ms: 250 },
    ...rest,
  };
}

import type { Basis } from '../../../src/contract/basis.ts';
import type { Evaluation, EvaluationInput } from '../../../src/evaluate/evaluator.ts';
import { evaluateStructural } from '../../../src/evaluate/structural/evaluate.ts';

export const plainBasis: Basis = {
  objective: 'Retry a failed upload.',
  acceptance: ['Three attempts are made.'],
};

/** A file's text before and after; null where it is missing. */
export type Change = readonly [before: string | null, after: string | null];

/** Judges a change of the given files with a goal that asks for none of it, on an otherwise empty history. */
export function judge(
  files: Readonly<Record<string, Change>>,
  over: Partial<EvaluationInput> = {},
): Promise<Evaluation> {
  const bytes = (text: string | null) => (text === null ? null : Buffer.from(text));
  return evaluateStructural({
    basis: plainBasis,
    files: Object.entries(files).map(([path, [before, after]]) => ({
      path,
      role: 'declared',
      before: bytes(before),
      after: bytes(after),
    })),
    history: { revisit: false, repetition: 1, cycle: false },
    structural: { constant_tests: true, restated_evidence: false, file_budget_ms: 2000 },
    ...over,
  });
}

/** What became of a change in one word: its proof level, or the typed reason of the first file that is not proven. */
export async function verdictOf(
  files: Readonly<Record<string, Change>>,
  over: Partial<EvaluationInput> = {},
): Promise<string> {
  const { status, facts } = await judge(files, over);
  if (status === 'completed')
    return (
      facts
        .map(({ level }) => level ?? '')
        .sort()
        .at(-1) ?? ''
    );
  return facts.find(({ fact }) => fact !== 'proven_cosmetic')?.fact ?? status;
}

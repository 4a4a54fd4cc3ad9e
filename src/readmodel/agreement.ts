import type { Truth } from './labels.ts';

/** How the owner's labels and one signal agree; only labels `drift` and `on_goal` count. */
export interface Agreement {
  readonly true_positive: number;
  readonly false_positive: number;
  readonly false_negative: number;
  readonly true_negative: number;
  /** Labelled, and the signal says nothing. */
  readonly undecided: number;
}

export const noAgreement: Agreement = {
  true_positive: 0,
  false_positive: 0,
  false_negative: 0,
  true_negative: 0,
  undecided: 0,
};

/** The agreement with one more label held against the signal of its event. */
export function withLabel(agreement: Agreement, label: Truth | null, signal: boolean | null): Agreement {
  if (label !== 'drift' && label !== 'on_goal') return agreement;
  const cell = cellOf(signal, label);
  return { ...agreement, [cell]: agreement[cell] + 1 };
}

function cellOf(signal: boolean | null, label: 'drift' | 'on_goal'): keyof Agreement {
  if (signal === null) return 'undecided';
  if (label === 'drift') return signal ? 'true_positive' : 'false_negative';
  return signal ? 'false_positive' : 'true_negative';
}

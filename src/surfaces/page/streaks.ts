import type { LabelledEvent } from '../../readmodel/status.ts';

/** A stretch of adjacent drift signals; positions count from the oldest event shown. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Two or more drift signals in a row, oldest first. */
export function driftStretches(events: readonly LabelledEvent[], signal: 'noul' | 'choice'): Stretch[] {
  const stretches: Stretch[] = [];
  let from: number | null = null;
  const end = (to: number): void => {
    if (from !== null && to > from) stretches.push({ from, to });
    from = null;
  };
  for (const [at, event] of events.entries()) {
    if (event.drift_signal[signal] === true) from ??= at;
    else end(at - 1);
  }
  end(events.length - 1);
  return stretches;
}

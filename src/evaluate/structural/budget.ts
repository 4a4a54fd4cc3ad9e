/** How long one file may take. `expired` is asked often, so it reads the clock only now and then. */
export interface Budget {
  expired(): boolean;
}

/** A budget of `milliseconds` that starts now, on the given clock (milliseconds, monotonic). */
export function startBudget(milliseconds: number, now: () => number): Budget {
  const end = now() + milliseconds;
  return { expired: () => now() > end };
}

/** Thrown inside the proof of one file when its budget is spent; caught where the file is judged. */
export class OverBudget extends Error {}

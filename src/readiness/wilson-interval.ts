const Z_95 = 1.959963984540054;

/** A share with its 95 % confidence interval, in [0, 1]. */
export interface Share {
  readonly count: number;
  readonly of: number;
  /** Null where nothing was counted. */
  readonly rate: number | null;
  readonly interval_95: readonly [number, number] | null;
}

/**
 * The Wilson score interval (Wilson 1927): it stays within [0, 1] and is honest about small counts, where `0 of 6` is
 * far from certain to be nothing.
 */
export function wilsonShare(count: number, of: number): Share {
  if (of === 0) return { count, of, rate: null, interval_95: null };
  const rate = count / of;
  const squared = Z_95 ** 2;
  const centre = (rate + squared / (2 * of)) / (1 + squared / of);
  const half = (Z_95 * Math.sqrt((rate * (1 - rate)) / of + squared / (4 * of ** 2))) / (1 + squared / of);
  return { count, of, rate, interval_95: [Math.max(0, centre - half), Math.min(1, centre + half)] };
}

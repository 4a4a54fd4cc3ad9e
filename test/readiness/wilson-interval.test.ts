import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wilsonShare } from '../../src/readiness/wilson-interval.ts';

describe('wilsonShare', () => {
  // Values of Newcombe 1998, table I (score method): 81/263, 15/148, 0/20, 1/29.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('gives the published interval of %i of %i', (count, of, low, high) => {
    const { interval_95: interval } = wilsonShare(count, of);

    expect(interval?.[0]).toBeCloseTo(low, 4);
    expect(interval?.[1]).toBeCloseTo(high, 4);
  });

  it('says nothing where nothing was counted', () => {
    expect(wilsonShare(0, 0)).toEqual({ count: 0, of: 0, rate: null, interval_95: null });
  });

  it('holds the rate, stays within 0 and 1, and narrows with more', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (of, share) => {
          const count = Math.round(of * share);
          const [low, high] = wilsonShare(count, of).interval_95 ?? [1, 0];
          const [wideLow, wideHigh] = wilsonShare(count * 4, of * 4).interval_95 ?? [0, 0];

          expect(low).toBeGreaterThanOrEqual(0);
          expect(high).toBeLessThanOrEqual(1);
          expect(low - 1e-12 <= count / of && count / of <= high + 1e-12).toBe(true);
          expect(wideHigh - wideLow).toBeLessThan(high - low);
        },
      ),
    );
  });
});

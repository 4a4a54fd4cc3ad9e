import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createOutputTail, TAIL_BYTES } from '../../src/shim/stdout/output-tail.ts';

describe('the tail of an output', () => {
  it('is what the whole output ends with, however it came', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 2 * TAIL_BYTES }), { maxLength: 12 });

    fc.assert(
      fc.property(sizes, (lengths) => {
        const tail = createOutputTail();
        const chunks = lengths.map((length, i) => Buffer.alloc(length, `${i}:`));
        for (const chunk of chunks) tail.push(chunk);
        const whole = Buffer.concat(chunks);

        return whole.subarray(-TAIL_BYTES).equals(tail.bytes()) && tail.isCut() === whole.length > TAIL_BYTES;
      }),
      { numRuns: 60 },
    );
  });

  it('is empty where nothing came', () => {
    const tail = createOutputTail();

    expect([tail.bytes().length, tail.isCut()]).toEqual([0, false]);
  });
});

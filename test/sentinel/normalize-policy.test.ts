import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultPolicy, normalizePolicy } from '../../src/sentinel/normalize-policy.ts';
import { pin } from '../support/history.ts';

const malformed = { ...defaultPolicy, invalid_configuration: true };

describe('a policy block', () => {
  it('that is not there means off and nothing else', () => {
    for (const block of [undefined, null, [], 'assist'])
      expect(normalizePolicy({ block })).toEqual(defaultPolicy);
  });

  it('keeps what is valid, stripped, the pin in lower case', () => {
    expect(
      normalizePolicy({
        block: {
          mode: ' assist ',
          signal: ' choice',
          drift_threshold: 20,
          contract_revision: ` ${pin.toUpperCase()}\n`,
        },
      }),
    ).toEqual({
      ...defaultPolicy,
      mode: 'assist',
      signal: 'choice',
      drift_threshold: 20,
      contract_revision: pin,
    });
  });

  it.each([
    { mode: null },
    { mode: 'on' },
    { signal: null },
    { drift_threshold: null },
    { drift_threshold: true },
    { drift_threshold: 2.5 },
    { drift_threshold: 1 },
    { drift_threshold: 21 },
    { contract_revision: 0 },
    { contract_revision: false },
    { contract_revision: pin.slice(1) },
  ])('with %o turns the whole of it off', (bad) => {
    expect(normalizePolicy({ block: { mode: 'assist', contract_revision: pin, ...bad } })).toEqual(malformed);
  });

  it('never makes the reader throw, and is never on by accident', () => {
    fc.assert(
      fc.property(fc.anything(), (block) => {
        expect(normalizePolicy({ block }).mode).toBe('off');
      }),
    );
  });
});

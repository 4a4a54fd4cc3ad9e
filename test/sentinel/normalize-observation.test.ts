import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeObservation } from '../../src/sentinel/normalize-observation.ts';

const fault = (observation: unknown) => {
  const result = normalizeObservation({ observation });
  return result.ok ? result.observation.fingerprint : `${result.reason} ${result.field}`;
};
const unchanged = { result_class: 'unchanged', surface_id: 's' };

describe('a typed claim', () => {
  it('gets the fingerprint that LoopX records for it', () => {
    expect(
      fault({
        result_class: 'advanced',
        surface_id: 'src/retry.py',
        hypothesis_id: 'h1',
        probe_kind: 'unit_test',
        evidence_ids: ['ev-1'],
        fingerprint: '0000000000000000',
      }),
    ).toBe('db29dd601b0ec91d');
    expect(fault({ result_class: 'blocked', blocker_id: 'blk-2', evidence_ids: ['ev-8'] })).toBe(
      'ea23ba77e7b664c7',
    );
  });

  it('has one fingerprint for every order and repetition of its evidence', () => {
    const one = fault({ ...unchanged, evidence_ids: ['b', 'a'] });
    expect(fault({ ...unchanged, evidence_ids: ['a', ' b ', 'a'] })).toBe(one);
  });

  it('keeps a false coverage apart from none', () => {
    expect(fault({ ...unchanged, coverage_complete: false })).not.toBe(fault(unchanged));
    expect(fault({ ...unchanged, coverage_complete: null })).toBe(fault(unchanged));
  });

  it.each([
    ['not_an_object ', null],
    ['missing result_class', { surface_id: 's' }],
    ['not_allowed result_class', { result_class: ' blocked', surface_id: 's' }],
    ['no_identifier ', { result_class: 'unchanged', surface_id: ' ', evidence_ids: [] }],
    ['unknown_version schema_version', { ...unchanged, schema_version: 'v1' }],
    ['wrong_type surface_id', { ...unchanged, surface_id: 7 }],
    ['not_allowed surface_id', { ...unchanged, surface_id: 'a b' }],
    ['not_allowed surface_id', { ...unchanged, surface_id: `a${'b'.repeat(128)}` }],
    ['wrong_type evidence_ids', { ...unchanged, evidence_ids: 'ev-1' }],
    ['missing evidence_ids', { ...unchanged, evidence_ids: ['a', ''] }],
    ['too_many evidence_ids', { ...unchanged, evidence_ids: [...'abcdefghijklm'] }],
    ['wrong_type coverage_complete', { ...unchanged, coverage_complete: 0 }],
  ])('is refused: %s', (expected, observation) => {
    expect(fault(observation)).toBe(expected);
  });

  it('is read again to the same claim, and never makes the reader throw', () => {
    fc.assert(fc.property(fc.anything(), (observation) => void normalizeObservation({ observation })));
    const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,9}$/);
    fc.assert(
      fc.property(id, fc.uniqueArray(id, { maxLength: 12 }), (surface_id, evidence_ids) => {
        const once = normalizeObservation({
          observation: { result_class: 'advanced', surface_id, evidence_ids },
        });
        expect(once.ok && normalizeObservation({ observation: once.observation })).toEqual(once);
      }),
    );
  });
});

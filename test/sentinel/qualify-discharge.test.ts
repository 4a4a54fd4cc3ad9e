import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeObservation } from '../../src/sentinel/normalize-observation.ts';
import { qualifyDischarge } from '../../src/sentinel/qualify-discharge.ts';
import { claim, type Json } from '../support/history.ts';

const stored = (observation: Json) => {
  const read = normalizeObservation({ observation });
  if (!read.ok) throw new Error(read.reason);
  return read.observation;
};
const window = [claim(3), claim(2), claim(1)].map(stored);
const review = {
  triggers: [{ kind: 'external_progress_review_drift' }],
  progress_baseline: window[0],
  progress_window: window,
};
const repeat = { triggers: [{ kind: 'typed_progress_repeat' }], progress_baseline: window[0] };
const vision = (path: Json = {}, more: Json = {}) => ({
  vision_patch: { acceptance_summary: 'reviewed, plan kept' },
  path_delta: { outcome: 'continue', evidence_refs: ['note/1'], ...path },
  ...more,
});
const blocked = (blocker_id: string, ...evidence_ids: string[]) => ({
  result_class: 'blocked',
  blocker_id,
  evidence_ids,
});
const exhausted = (coverage_scope_id: string, extra: Json = {}) => ({
  result_class: 'exploration_exhausted',
  coverage_scope_id,
  coverage_complete: true,
  evidence_ids: ['ev-3'],
  ...extra,
});
const noFollowup = { result_class: 'no_followup', coverage_scope_id: 'bay', evidence_ids: ['ev-9'] };

const outcome = (input: Json, obligation: Json = review) => {
  const { accepted, satisfying_outcomes, reason_code } = qualifyDischarge({ obligation, ...input });
  return accepted ? satisfying_outcomes.join(' ') : (reason_code ?? 'refused');
};

describe('a claim against a review', () => {
  it.each([
    ['progress_observation_replayed', { observation: claim(3) }],
    ['progress_observation_replayed', { observation: claim(1) }],
    ['progress_identity_without_new_evidence', { observation: claim(9, { evidence_ids: ['ev-3', 'ev-1'] }) }],
    ['new_hypothesis', { observation: claim(9) }],
    ['new_hypothesis', { observation: claim(1, { evidence_ids: ['ev-1', 'ev-9'] }) }],
    ['refused', { observation: claim(3, { evidence_ids: ['ev-9'] }) }],
    ['refused', { observation: claim(9, { evidence_ids: [] }) }],
    ['refused', { observation: claim(9, { result_class: 'unchanged' }) }],
    [
      'new_surface new_hypothesis new_probe_family',
      { observation: claim(9, { surface_id: 's', probe_kind: 'p' }) },
    ],
    ['new_concrete_blocker', { observation: blocked('crane', 'ev-3') }],
    ['refused', { observation: blocked('crane') }],
    ['coverage_backed_exploration_exhausted', { observation: exhausted('bay') }],
    ['refused', { observation: exhausted('bay', { coverage_complete: false }) }],
    ['refused', {}],
    ['refused', { observation: { result_class: 'advanced' } }],
  ])('gives %s', (expected, input) => {
    expect(outcome(input)).toBe(expected);
  });

  it('finds a blocker or a coverage of the window known, though the baseline says something else', () => {
    const known = [claim(3), blocked('crane', 'ev-1'), exhausted('bay')].map(stored);
    const against = (observation: Json) => outcome({ observation }, { ...review, progress_window: known });
    expect(against(blocked('crane', 'ev-9'))).toBe('refused');
    expect(against(blocked('tug', 'ev-9'))).toBe('new_concrete_blocker');
    expect(against(exhausted('bay', { evidence_ids: ['ev-9'] }))).toBe('refused');
    expect(against(exhausted('pier'))).toBe('coverage_backed_exploration_exhausted');
  });

  it('believes no stored fingerprint and reads no malformed claim of the window', () => {
    const forged = { ...claim(2), fingerprint: 'ffffffffffffffff' };
    expect(outcome({ observation: forged })).toBe('progress_observation_replayed');
    const broken = { ...review, progress_window: [{ surface_id: 7 }, null, ...window] };
    expect(outcome({ observation: claim(9) }, broken)).toBe('new_hypothesis');
  });
});

describe('a vision', () => {
  it.each([
    ['fresh_vision_path_outcome', vision()],
    ['fresh_vision_path_outcome', vision({ outcome: ' replan ' })],
    ['fresh_vision_path_outcome', vision({ outcome: 'no_change', evidence_refs: ['', ' x '] })],
    ['refused', vision({ outcome: 'wait' })],
    ['refused', vision({ outcome: 'stop' })],
    ['refused', vision({ evidence_refs: [' '] })],
    ['refused', vision({ evidence_refs: 'note/1' })],
    ['refused', vision({}, { vision_patch: { acceptance_summary: ' ' } })],
    ['refused', 'continue'],
  ])('gives %s', (expected, given) => {
    expect(outcome({ vision: given })).toBe(expected);
  });

  it('is accepted alone beside a claim that only repeats or renames', () => {
    for (const observation of [claim(3), claim(9, { evidence_ids: ['ev-1'] })])
      expect(outcome({ observation, vision: vision() })).toBe('fresh_vision_path_outcome');
  });

  it('has to say no follow-up and stop where the claim says so', () => {
    const ends = vision({ outcome: 'stop' }, { state: 'Closed-No-Followup' });
    expect(outcome({ observation: noFollowup, vision: ends })).toBe('coverage_backed_no_followup');
    for (const given of [
      undefined,
      vision(),
      vision({ outcome: 'stop' }),
      vision({}, { state: 'no_followup' }),
    ])
      expect(outcome({ observation: noFollowup, vision: given })).toBe(
        'no_followup_vision_path_inconsistent',
      );
  });
});

describe('a typed repeat', () => {
  it('asks for no new evidence and takes no vision', () => {
    expect(outcome({ observation: claim(9, { evidence_ids: ['ev-3'] }) }, repeat)).toBe('new_hypothesis');
    expect(qualifyDischarge({ obligation: repeat, vision: vision() })).toEqual({
      accepted: false,
      outcomes: ['fresh_vision_path_outcome'],
      satisfying_outcomes: [],
    });
  });
});

describe('what closed an earlier obligation', () => {
  const later = (observation: Json, ...discharged: Json[]) =>
    outcome({ observation, discharged, earlier_evidence_ids: ['ev-0', 'ev-x'] });

  it('does not close a later one again, in another case or under another name', () => {
    const first = blocked('crane', 'ev-x');
    for (const again of [blocked('crane', 'ev-x'), blocked(' Crane ', 'EV-X'), blocked('tug', 'ev-x')])
      expect(later(again, first)).toBe('progress_observation_replayed');
    expect(later(claim(9), claim(9))).toBe('progress_observation_replayed');
    expect(later(exhausted('bay'), exhausted('bay'))).toBe('progress_observation_replayed');
  });

  it('closes it with evidence that is new since then, not with older evidence that it left out', () => {
    const first = blocked('crane', 'ev-x');
    expect(later(blocked('crane', 'ev-x', 'ev-20'), first)).toBe('new_concrete_blocker');
    expect(later(blocked('crane', 'ev-0'), first)).toBe('progress_observation_replayed');
    expect(later(blocked('tug', 'ev-0'), first)).toBe('new_concrete_blocker');
  });

  it('may be a vision, which then needs a new reference', () => {
    const discharged_visions = [vision()];
    expect(outcome({ vision: vision(), discharged_visions })).toBe('vision_path_replayed');
    expect(outcome({ vision: vision({ evidence_refs: ['note/1', 'note/2'] }), discharged_visions })).toBe(
      'fresh_vision_path_outcome',
    );
  });

  it('holds for a typed repeat as well', () => {
    const input = { observation: blocked('crane', 'ev-x'), discharged: [blocked('crane', 'ev-x')] };
    expect(outcome(input, repeat)).toBe('progress_observation_replayed');
  });
});

describe('qualifying', () => {
  it('never throws and never accepts what is not typed', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (obligation, observation, discharged) => {
        const { accepted, satisfying_outcomes } = qualifyDischarge({ obligation, observation, discharged });
        expect(accepted).toBe(satisfying_outcomes.length > 0);
        expect(qualifyDischarge(obligation as never).accepted).toBe(false);
      }),
    );
  });

  it('never accepts a claim whose evidence the whole window has cited, other than a new end', () => {
    const ids = fc.subarray(['ev-1', 'ev-2', 'ev-3'], { minLength: 1 });
    const name = fc.option(fc.constantFrom('a', 'b', 'h-1', 'h-3'), { nil: undefined });
    fc.assert(
      fc.property(ids, name, name, name, (evidence_ids, surface_id, hypothesis_id, probe_kind) => {
        const observation = { result_class: 'advanced', surface_id, hypothesis_id, probe_kind, evidence_ids };
        expect(qualifyDischarge({ obligation: review, observation }).accepted).toBe(false);
      }),
    );
  });
});

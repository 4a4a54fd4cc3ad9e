import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeReceipt } from '../../src/sentinel/normalize-receipt.ts';
import { type Json, receipt, sha } from '../support/history.ts';

const read = (extra: Json) => normalizeReceipt({ receipt: { ...receipt(1), ...extra } });
const refusal = (extra: Json) => {
  const result = read(extra);
  return result.ok ? 'accepted' : `${result.reason} ${result.field}`;
};
const withRun = (extra: Json) => ({ run: { generated_at: 'x', ...extra } });

const canonical = {
  criterion_binding: {
    origin: 'goal_acceptance',
    goal_id: 'harbour',
    agent_id: 'scout',
    todo_id: 'todo-1',
    contract_digest: 'digest',
    contract_revision: 3,
    todo_semantic_digest: 'semantic',
    criterion_ids: ['c-1', 'c-2'],
    criteria_sha256: sha('criteria'),
  },
  coverage: 'declared_file_net_change',
  files: ['src/a.ts'],
};
const boundRun = { run: { generated_at: 'x', agent_id: 'scout', todo_id: 'todo-1' } };

describe('a receipt', () => {
  it('is read with its own id and without authority, whatever the file claims', () => {
    const result = read({ receipt_id: 'another', authority: 'full', prose: 'x' });
    expect(result).toMatchObject({ ok: true, receipt: { receipt_id: sha('event 1'), authority: 'none' } });
    expect(result).not.toHaveProperty('receipt.prose');
  });

  it('is read again to the same value', () => {
    const once = read({ reason: ' drift_proven ', model: ' judge ' });
    expect(once).toMatchObject({ ok: true });
    if (once.ok) expect(normalizeReceipt({ receipt: once.receipt })).toEqual(once);
  });

  it('echoes the rule that it was written under', () => {
    expect(read({ signal_rule_version: 'progress_review_signal_rule_v1' })).toHaveProperty(
      'receipt.signal_rule_version',
      'progress_review_signal_rule_v1',
    );
  });

  it.each([
    ['missing goal_id', { goal_id: undefined }],
    ['wrong_type goal_id', { goal_id: 7 }],
    ['out_of_range goal_id', { goal_id: 'g'.repeat(201) }],
    ['not_allowed model', { model: 'a\tb' }],
    ['not_allowed event_id', { event_id: 'A'.repeat(64) }],
    ['unknown_version schema_version', { schema_version: 'progress_review_receipt_v1' }],
    ['unknown_version signal_rule_version', { signal_rule_version: 'progress_review_signal_rule_v3' }],
    ['wrong_type sequence', { sequence: true }],
    ['out_of_range sequence', { sequence: -1 }],
    ['missing run', { run: undefined }],
    ['missing run.generated_at', { run: {} }],
    ['wrong_type run.agent_id', withRun({ agent_id: 7 })],
    ['not_allowed status', { status: 'queued' }],
    ['not_allowed reason', { reason: 'No-Delta' }],
    ['unknown_key judgments.noul.tone', { judgments: { noul: { tone: 1 } } }],
    ['missing judgments.choice.increment', { judgments: { choice: { relation: null } } }],
    ['out_of_range label_probability_threshold', { label_probability_threshold: 0.49 }],
    ['signal_disagrees drift_signal.noul', { drift_signal: { noul: null, choice: true } }],
    ['missing drift_signal.choice', { drift_signal: { noul: true } }],
    ['unknown_key usage.cost', { usage: { cost: 1 } }],
    ['wrong_type timing_ns.a', { timing_ns: { a: 0.5 } }],
    [
      'out_of_range timing_ns',
      { timing_ns: Object.fromEntries([...'abcdefghijklmnopq'].map((k) => [k, 1])) },
    ],
    ['wrong_type recorded_at', { recorded_at: true }],
  ])('is refused: %s', (expected, extra) => {
    expect(refusal(extra)).toBe(expected);
  });

  it('counts code points, not units', () => {
    expect(refusal({ model: '🚢'.repeat(200) })).toBe('accepted');
    expect(refusal({ model: '🚢'.repeat(201) })).toBe('out_of_range model');
  });

  it('never makes the reader throw', () => {
    fc.assert(fc.property(fc.anything(), (anything) => void normalizeReceipt(anything as never)));
    const broken = fc.constantFrom(...Object.keys(receipt(1)));
    fc.assert(fc.property(broken, fc.anything(), (key, value) => void read({ [key]: value })));
  });
});

describe('the evidence scope of a receipt', () => {
  it('is kept when it is bound to the same goal, agent and todo', () => {
    expect(read({ ...boundRun, evidence_scope: canonical })).toHaveProperty(
      'receipt.evidence_scope',
      canonical,
    );
  });

  it.each(['goal_id', 'agent_id', 'todo_id'])('refuses the receipt when its %s differs', (key) => {
    const evidence_scope = {
      ...canonical,
      criterion_binding: { ...canonical.criterion_binding, [key]: 'other' },
    };
    expect(refusal({ ...boundRun, evidence_scope })).toBe(
      `scope_mismatch evidence_scope.criterion_binding.${key}`,
    );
  });

  it.each([
    ['not_allowed evidence_scope.files.0', { files: ['../a'] }],
    ['not_allowed evidence_scope.files.0', { files: ['/etc/a'] }],
    ['not_allowed evidence_scope.files.0', { files: ['a\\b'] }],
    ['out_of_range evidence_scope.files', { files: Array.from({ length: 33 }, (_, n) => `f${n}`) }],
    ['not_allowed evidence_scope.coverage', { coverage: 'everything' }],
    ['unknown_key evidence_scope.note', { note: 'x' }],
  ])('refuses the receipt: %s', (expected, extra) => {
    expect(refusal({ ...boundRun, evidence_scope: { ...canonical, ...extra } })).toBe(expected);
  });

  it('of a hand-written basis needs no identity', () => {
    const criterion_binding = { origin: 'operator_study', criteria_sha256: sha('criteria') };
    expect(refusal({ evidence_scope: { ...canonical, criterion_binding } })).toBe('accepted');
  });
});

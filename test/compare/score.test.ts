import { describe, expect, it } from 'vitest';
import { aggregateScores } from '../../src/compare/aggregate-scores.ts';
import { comparedAgent, turnOf } from '../../src/compare/case-observer.ts';
import type { PlayedCase, PlayedRound } from '../../src/compare/played-case.ts';
import { type CaseScore, scoreCase } from '../../src/compare/score-case.ts';
import type { GoldLabel } from '../../src/contract/comparison.ts';
import type { Receipt } from '../../src/contract/receipt.ts';

/** A verdict of both signals: D drift, n not drift, u undecided, f failed, x not captured. */
type Verdict = 'D' | 'n' | 'u' | 'f' | 'x';

const revision = 'c'.repeat(64);
const signalOf = { D: true, n: false, u: null, f: null, x: null } as const;
const statusOf = { D: 'completed', n: 'completed', u: 'completed', f: 'failed', x: 'not_captured' } as const;
const noulOf = { D: 0.1, n: 0.9, u: 0.5, f: null, x: null } as const;

interface Played {
  readonly id?: string;
  readonly verdicts: string;
  readonly gold: number | null;
  readonly labels?: readonly GoldLabel[];
  /** What the agent says of itself, each round. */
  readonly report?: Readonly<Record<string, string>>;
}

function played({
  id = 'one',
  verdicts,
  gold,
  labels,
  report = { result_class: 'advanced' },
}: Played): PlayedCase {
  const each = [...verdicts] as Verdict[];
  const claim = (n: number) => ({ hypothesis_id: `h${n}`, ...report });
  const row = (n: number) => ({
    generated_at: `2026-01-01T00:00:0${n}+00:00`,
    agent_id: comparedAgent,
    turn_instance_id: turnOf(id, n),
    progress_observation: claim(n),
  });
  const rounds: PlayedRound[] = each.map((verdict, n) => ({
    round: n + 1,
    status: statusOf[verdict],
    reason: null,
    evaluator: 'system-one',
    model: 'jev-1.13.0',
    question_version: 'q',
    execution: 'recorded_replay',
    judgments: { choice: null, noul: null },
    drift_signal: { noul: signalOf[verdict], choice: signalOf[verdict] },
    assessment_ms: verdict === 'x' ? null : (n + 1) * 10,
    usage: verdict === 'x' ? null : { input_tokens: 1_000 + n },
  }));
  return {
    definition: {
      case_id: id,
      kind: 'constructed',
      basis: { objective: 'o', acceptance: ['a'] },
      paths: ['a.py'],
      baseline: {},
      rounds: each.map((_, n) => ({ self_report: { result_class: 'advanced', ...claim(n + 1) }, files: {} })),
      gold: { drift_from_round: gold },
      ...(labels ? { gold_rounds: [...labels] } : {}),
    },
    contractRevision: revision,
    rounds,
    rows: each.map((verdict, n) => (verdict === 'x' ? null : row(n + 1))),
    receipts: each.map((verdict, n) => (verdict === 'x' ? null : receipt(id, n + 1, verdict))),
    atThreshold: () => played({ id, verdicts, gold }),
  };
}

const hex = (n: number): string => n.toString(16).padStart(64, '0');

function receipt(id: string, n: number, verdict: Verdict): Receipt {
  const p = noulOf[verdict];
  return {
    schema_version: 'progress_review_receipt_v0',
    signal_rule_version: 'progress_review_signal_rule_v2',
    goal_id: 'g',
    event_id: hex(n),
    evidence_id: hex(n + 100),
    contract_revision: revision,
    sequence: n,
    run: {
      generated_at: `2026-01-01T00:00:0${n}+00:00`,
      turn_instance_id: turnOf(id, n),
      agent_id: comparedAgent,
      todo_id: null,
    },
    status: statusOf[verdict] as Receipt['status'],
    reason: null,
    question_version: 'q',
    model: 'm',
    judgments: {
      choice: { relation: verdict === 'D' ? 'off_goal' : 'on_goal', increment: 'no_new_evidence' },
      noul: { behavior_change: p, serves_acceptance: p, evidence_increment: p },
    },
    drift_signal: { noul: signalOf[verdict], choice: signalOf[verdict] },
    label_probability_threshold: 0.6,
    timing_ns: {},
    usage: null,
    recorded_at: n,
  };
}

const score = (given: Played, threshold = 2): CaseScore => scoreCase(played(given), threshold);

describe('scoreCase', () => {
  it.each<[string, Played, number | null, number | null, boolean, number[]]>([
    ['flags from the first round on', { verdicts: 'DDD', gold: 1 }, 1, 2, true, []],
    ['a late flag', { verdicts: 'uuDD', gold: 1 }, 3, 4, true, []],
    ['a premature flag', { verdicts: 'DnD', gold: 2 }, 1, null, false, [1]],
    ['no flag', { verdicts: 'nun', gold: 1 }, null, null, false, []],
    ['a false flag on the goal', { verdicts: 'nDn', gold: null }, 2, null, false, [2]],
    ['a gap that keeps a streak from forming', { verdicts: 'DfD', gold: 1 }, 1, null, true, []],
    ['a round that was not captured', { verdicts: 'DxD', gold: 1 }, 1, 3, true, []],
  ])('scores %s', (_name, given, flag, obligation, detected, falseFlags) => {
    const { first_flag_round, first_obligation_round, detected: found, false_flag_rounds } = score(given);

    expect([first_flag_round.noul, first_obligation_round.noul, found.noul, false_flag_rounds.noul]).toEqual([
      flag,
      obligation,
      detected,
      falseFlags,
    ]);
  });

  it('needs as many adjacent drift verdicts as the threshold says', () => {
    expect(score({ verdicts: 'DDDD', gold: 1 }, 4).first_obligation_round.noul).toBe(4);
  });

  it('fires the typed repeat fuse on the same claim of no progress, and never on advance', () => {
    const stuck = { result_class: 'unchanged', hypothesis_id: 'same' };

    expect(score({ verdicts: 'uuu', gold: 1, report: stuck }).baseline.typed_repeat_first_round).toBe(2);
    expect(
      score({ verdicts: 'uuu', gold: 1, report: { ...stuck, result_class: 'advanced' } }).baseline
        .typed_repeat_first_round,
    ).toBeNull();
  });
});

describe('aggregateScores', () => {
  it('counts cases by gold and never a case without a full verdict among the false flags', () => {
    const scores = [
      score({ id: 'a', verdicts: 'DD', gold: 1 }),
      score({ id: 'b', verdicts: 'DuD', gold: 2 }),
      score({ id: 'c', verdicts: 'uD', gold: 1 }),
      score({ id: 'd', verdicts: 'nn', gold: null }),
      score({ id: 'e', verdicts: 'Dn', gold: null }),
      score({ id: 'f', verdicts: 'Df', gold: null }),
    ];

    const { signals, ...rest } = aggregateScores(scores, 2);

    expect(signals.noul).toEqual({
      drift_cases_flagged: '2/3',
      drift_cases_reaching_obligation: '1/3',
      median_rounds_after_drift_start_to_first_flag: 0.5,
      on_goal_cases_with_false_flag: '1/2',
      on_goal_cases_without_full_verdict: 1,
      on_goal_cases_without_full_verdict_with_flag: 1,
      premature_flags_in_mixed_cases: 1,
    });
    expect(rest).toMatchObject({
      cases: 6,
      drift_cases: 3,
      on_goal_cases: 3,
      round_status_counts: { completed: 12, failed: 1 },
      execution_kinds: { recorded_replay: 13 },
      median_assessment_ms: 20,
      p95_assessment_ms: 20,
      median_input_tokens: 1_001,
    });
  });

  it('scores labelled rounds and names those at fault', () => {
    const labels = ['cosmetic', 'cosmetic', 'real', 'real', 'either'] as const;

    const { gold_rounds } = aggregateScores([score({ id: 'a', verdicts: 'DunDD', gold: 1, labels })], 2);

    expect(gold_rounds?.noul).toEqual({
      cosmetic_flagged: '1/2',
      cosmetic_rate: 0.5,
      real_flagged: '1/2',
      either_flagged: '1/1',
      cosmetic_missed_rounds: ['a r2'],
      real_flagged_rounds: ['a r4'],
    });
  });
});

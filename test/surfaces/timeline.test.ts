import { describe, expect, it } from 'vitest';
import type { LabelledEpisode } from '../../src/readmodel/goal-view.ts';
import type { LabelledEvent } from '../../src/readmodel/status.ts';
import { obligationSpans } from '../../src/surfaces/page/obligation-spans.ts';
import { driftStretches } from '../../src/surfaces/page/streaks.ts';
import { at } from '../support/history.ts';

/** Turn `n` of an agent, with what the signal says of it. */
const event = (n: number, drift: boolean | null = null, agent_id = 'scout'): LabelledEvent =>
  ({
    run: { turn_instance_id: `t-${n}`, generated_at: at(n), agent_id, todo_id: null },
    drift_signal: { noul: drift, choice: null },
  }) as LabelledEvent;

const episode = (extra: Partial<LabelledEpisode>): LabelledEpisode =>
  ({
    agent_id: 'scout',
    opened_turn: 't-2',
    opened_at: at(2),
    closed_at: null,
    closed_by: null,
    ...extra,
  }) as LabelledEpisode;

const events = [1, 2, 3, 4].map((n) => event(n));

describe('driftStretches', () => {
  it('marks two or more drift signals in a row, and lets nothing unevaluated join them', () => {
    const signals = [true, true, false, true, null, true, true, true];

    expect(
      driftStretches(
        signals.map((drift, n) => event(n, drift)),
        'noul',
      ),
    ).toEqual([
      { from: 0, to: 1 },
      { from: 5, to: 7 },
    ]);
  });
});

describe('obligationSpans', () => {
  it('reaches from the turn that raised it to the one that ended it', () => {
    const closed = episode({ closed_at: at(3), closed_by: 'acknowledged' });

    expect(obligationSpans({ events, episodes: [closed] })).toEqual([
      { from: 1, to: 2, ending: 'acknowledged' },
    ]);
  });

  it('reaches to the newest transition while it is open', () => {
    expect(obligationSpans({ events, episodes: [episode({})] })).toEqual([{ from: 1, to: 3, ending: null }]);
  });

  it('goes by the time where the run has no turn', () => {
    const untold = episode({ opened_turn: null, opened_at: at(4) });

    expect(obligationSpans({ events, episodes: [untold] })).toMatchObject([{ from: 3 }]);
  });

  it('leaves out what another agent owes, and what was raised before the first transition shown', () => {
    const others = [episode({ agent_id: 'other' }), episode({ opened_turn: 't-0', opened_at: at(0) })];

    expect(obligationSpans({ events, episodes: others })).toEqual([]);
  });
});

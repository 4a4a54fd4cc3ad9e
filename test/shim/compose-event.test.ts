import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DriftEvent, FileState } from '../../src/contract/event.ts';
import { composeEvent, type Observed } from '../../src/shim/compose-event.ts';
import type { Tail } from '../../src/spool/enqueue.ts';
import { encodeEvent } from '../../src/spool/event-format.ts';
import type { SeenBefore } from '../../src/spool/markers.ts';

/** A chain kept in memory: what the markers of the spool answer, worked out by looking through all of it. */
class Chain {
  readonly events: DriftEvent[] = [];
  readonly visits = new Map<string, number>();

  seen: SeenBefore = {
    event: (id) => this.events.some((event) => event.event_id === id),
    evidence: (id) => this.events.some((event) => event.status === 'queued' && event.evidence_id === id),
    stateVisits: (start, digest) =>
      this.events.filter(
        (event) => event.chain.start === start && event.state_digest === digest && this.moved(event),
      ).length,
    repetitions: (start, digest) =>
      this.events.filter(
        (event) =>
          event.chain.start === start && event.change_digest === digest && event.chain.repetition > 0,
      ).length,
  };

  private moved = (event: DriftEvent): boolean =>
    event.chain.start === event.sequence || event.files.some(({ change }) => change !== undefined);

  get tail(): Tail | null {
    const event = this.events.at(-1);
    if (!event) return null;
    const stored = { event, digest: encodeEvent(event).digest, contentAt: 0 };
    return {
      sequence: event.sequence,
      stored,
      newestIntact: stored,
      statedDigest: stored.digest,
      statedId: event.event_id,
    };
  }

  add(text: string, more: Partial<Observed> = {}): DriftEvent {
    const before = this.events.at(-1)?.files[0];
    const { event } = composeEvent(
      observe(text, before, { tailAtStart: this.tail?.sequence ?? -1, ...more }),
      this.tail,
      this.seen,
    );
    this.events.push(event);
    return event;
  }
}

let runs = 0;

function observe(text: string, before: FileState | undefined, more: Partial<Observed>): Observed {
  const changed = before !== undefined && before.sha256 !== text;
  const file: FileState = {
    path: 'a.txt',
    role: 'declared',
    state: 'text',
    sha256: text,
    stat: { size: 1, mtime_ms: 0, ctime_ms: 0, ino: 1 },
    text: null,
    ...(changed ? { change: 'modified' as const } : {}),
  };
  runs += 1;
  return {
    observer: { observer_id: 'o', goal_id: 'g', epoch: 0 },
    contractRevision: 'r',
    configDigest: 'c',
    evaluator: 'structural',
    host: 'generic',
    capturedAt: '2026-01-01T00:00:00.000Z',
    run: {
      generated_at: '2026-01-01T00:00:00+00:00',
      turn_instance_id: `t-${runs}`,
      agent_id: null,
      todo_id: null,
      json_path: `/runs/${runs}`,
      record_digest: `d-${runs}`,
    },
    command: null,
    waiting: false,
    git: { ref: null, inProgress: false },
    snapshot: { files: [file], texts: changed ? new Map([['a.txt', Buffer.from(text)]]) : new Map() },
    tailAtStart: -1,
    failuresSeen: 0,
    nonce: `n-${runs}`,
    ...more,
  };
}

function chainOf(states: readonly string[]): Chain {
  const chain = new Chain();
  chain.add(states[0] ?? 'A', { run: null });
  for (const state of states.slice(1)) chain.add(state);
  return chain;
}

const facts = (states: string) =>
  chainOf([...states])
    .events.slice(1)
    .map(
      ({ chain: { revisit, repetition, cycle } }) => `${repetition}${revisit ? 'v' : ''}${cycle ? 'c' : ''}`,
    );

describe('where a change stands in the chain', () => {
  it.each([
    ['ABAB', ['1', '1v', '2v']],
    ['ABABA', ['1', '1v', '2v', '2vc']],
    ['ABABAB', ['1', '1v', '2v', '2vc', '3vc']],
    ['ABCABCA', ['1', '1', '1v', '2v', '2v', '2vc']],
    ['ABAC', ['1', '1v', '1']],
    ['ABACA', ['1', '1v', '1', '1v']],
    ['AABB', ['0', '1', '0']],
  ])('%s', (states, expected) => {
    expect(facts(states)).toEqual(expected);
  });

  it('is a cycle only for a repeated change into a state that was there twice before', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('A', 'B', 'C'), { minLength: 2, maxLength: 14 }), (states) => {
        const { events } = chainOf(states);
        // States as they were entered: staying is no visit.
        const entered: string[] = [];
        for (const [i, event] of events.entries()) {
          const state = states[i] ?? '';
          const stays = i > 0 && state === states[i - 1];
          const twice = entered.filter((one) => one === state).length >= 2;
          const repeated = entered.some((one, at) => one === states[i - 1] && entered[at + 1] === state);

          expect(event.chain.cycle).toBe(!stays && twice && repeated);
          if (!stays) entered.push(state);
        }
      }),
    );
  });

  it('gives every queued change of a chain another evidence id', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('A', 'B'), { minLength: 2, maxLength: 12 }), (states) => {
        const ids = chainOf(states)
          .events.filter(({ status }) => status === 'queued')
          .map(({ evidence_id }) => evidence_id);

        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });
});

describe('what the first that fits is', () => {
  it.each<[string, Partial<Observed>, string]>([
    ['a new epoch', { observer: { observer_id: 'o', goal_id: 'g', epoch: 1 } }, 'baseline_reset'],
    ['another basis', { contractRevision: 'r2' }, 'baseline_reset'],
    ['another configuration', { configDigest: 'c2' }, 'baseline_reset'],
    ['a failed capture before', { failuresSeen: 1 }, 'baseline_reset'],
    ['another branch', { git: { ref: 'refs/heads/x', inProgress: false } }, 'branch_changed'],
    ['a rebase under way', { git: { ref: null, inProgress: true } }, 'branch_changed'],
    ['a tail that moved', { tailAtStart: -1 }, 'overlap'],
    ['a reset on a tail that moved', { tailAtStart: -1, contractRevision: 'r2' }, 'baseline_reset'],
    ['nothing of these', {}, 'queued'],
  ])('%s', (_, more, status) => {
    const chain = chainOf(['A']);

    expect(chain.add('B', more).status).toBe(status);
  });

  it('begins a new chain after a reset, where the same change is no repeat but known evidence', () => {
    const chain = chainOf(['A', 'B']);
    chain.add('A', { contractRevision: 'r2' });
    chain.add('A');

    const again = chain.add('B');

    expect(again).toMatchObject({ status: 'duplicate_evidence', chain: { repetition: 1, revisit: false } });
  });

  it('does not ask a model the same question twice', () => {
    const chain = chainOf(['A', 'B', 'A']);

    const repeat = chain.add('B', { evaluator: 'system-one', tailAtStart: chain.tail?.sequence ?? 0 });

    expect(repeat.status).toBe('duplicate_evidence');
  });

  it('links each entry to its predecessor and counts what there was', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('A', 'B', 'C'), { minLength: 1, maxLength: 10 }), (states) => {
        const { events } = chainOf(states);
        for (const [i, event] of events.entries()) {
          const before = events[i - 1];

          expect(event.sequence).toBe(i);
          expect(event.prev).toBe(before ? encodeEvent(before).digest : null);
          expect(Object.values(event.totals).reduce((sum, count) => sum + count, 0)).toBe(i + 1);
        }
      }),
    );
  });
});

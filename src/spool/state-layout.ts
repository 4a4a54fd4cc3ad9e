import { join } from 'node:path';

/** The version in `<state>/format`; another one is refused and nothing is touched. */
export const stateFormat = 'drift_state_v1';

const SHARD_SIZE = 1_000;

export const shardOf = (sequence: number): string =>
  String(Math.floor(sequence / SHARD_SIZE)).padStart(8, '0');
export const isFirstOfShard = (sequence: number): boolean => sequence % SHARD_SIZE === 0;
export const fileNameOf = (sequence: number): string => `${String(sequence).padStart(12, '0')}.json`;

/** Where everything of one state directory lies. */
export function stateLayout(state: string) {
  return {
    format: join(state, 'format'),
    ignore: join(state, '.gitignore'),
    config: join(state, 'config.json'),
    observer: join(state, 'observer.json'),
    basis: join(state, 'basis.json'),
    registry: join(state, 'registry.json'),
    labels: join(state, 'labels.jsonl'),
    diagnostics: join(state, 'diagnostics.log'),
    lastRefresh: join(state, 'last-refresh.json'),
    staging: join(state, 'tmp'),
    events: join(state, 'ev'),
    head: join(state, 'head'),
    markers: join(state, 'mark'),
    tally: join(state, 'tally'),
    cursor: join(state, 'cursor'),
    claimCursor: join(state, 'claims'),
    journal: join(state, 'rcpt'),
    attempts: join(state, 'try'),
    requests: join(state, 's1'),
    floor: join(state, 'floor'),
    dead: join(state, 'dead'),
    aggregate: join(state, 'aggregate.json'),
    drainLock: join(state, 'drain.lock'),
    drainState: join(state, 'drain.json'),
    drainMode: join(state, 'mode'),
    shipped: join(state, 'shipped'),
    eventShard: (sequence: number) => join(state, 'ev', shardOf(sequence)),
    event: (sequence: number) => join(state, 'ev', shardOf(sequence), fileNameOf(sequence)),
  } as const;
}

export type StateLayout = ReturnType<typeof stateLayout>;

/** Where a goal's files lie under a runtime root (contract §3). */
export function goalLayout(runtimeRoot: string, goalId: string) {
  const goal = join(runtimeRoot, 'goals', goalId);
  return {
    goal,
    runs: join(goal, 'runs'),
    index: join(goal, 'runs', 'index.jsonl'),
    review: join(goal, 'progress-review'),
    receipts: join(goal, 'progress-review', 'receipts'),
    staging: join(goal, 'progress-review', 'tmp'),
  } as const;
}

export type GoalLayout = ReturnType<typeof goalLayout>;

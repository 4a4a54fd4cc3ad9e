/** The version in `<state>/format`; another one is refused and nothing is touched. */
export const stateFormat = 'drift_state_v1';

const SHARD_SIZE = 1_000;

export const shardOf = (sequence: number): string =>
  String(Math.floor(sequence / SHARD_SIZE)).padStart(8, '0');
export const isFirstOfShard = (sequence: number): boolean => sequence % SHARD_SIZE === 0;
export const fileNameOf = (sequence: number): string => `${String(sequence).padStart(12, '0')}.json`;

/**
 * Where everything of one state directory lies. Here, and wherever a refresh puts a name under a folder, without `join` of
 * node:path: it looks at every character, and V8 spends more on optimising it than a refresh on all its other work.
 */
export function stateLayout(state: string) {
  return {
    format: `${state}/format`,
    ignore: `${state}/.gitignore`,
    config: `${state}/config.json`,
    observer: `${state}/observer.json`,
    basis: `${state}/basis.json`,
    registry: `${state}/registry.json`,
    labels: `${state}/labels.jsonl`,
    diagnostics: `${state}/diagnostics.log`,
    lastRefresh: `${state}/last-refresh.json`,
    staging: `${state}/tmp`,
    events: `${state}/ev`,
    head: `${state}/head`,
    markers: `${state}/mark`,
    tally: `${state}/tally`,
    cursor: `${state}/cursor`,
    claimCursor: `${state}/claims`,
    journal: `${state}/rcpt`,
    attempts: `${state}/try`,
    requests: `${state}/s1`,
    floor: `${state}/floor`,
    dead: `${state}/dead`,
    aggregate: `${state}/aggregate.json`,
    drainLock: `${state}/drain.lock`,
    drainState: `${state}/drain.json`,
    drainMode: `${state}/mode`,
    shipped: `${state}/shipped`,
    eventShard: (sequence: number) => `${state}/ev/${shardOf(sequence)}`,
    event: (sequence: number) => `${state}/ev/${shardOf(sequence)}/${fileNameOf(sequence)}`,
  };
}

export type StateLayout = Readonly<ReturnType<typeof stateLayout>>;

/** Where a goal's files lie under a runtime root (contract §3). */
export function goalLayout(runtimeRoot: string, goalId: string) {
  const goal = `${runtimeRoot}/goals/${goalId}`;
  return {
    goal,
    runs: `${goal}/runs`,
    index: `${goal}/runs/index.jsonl`,
    review: `${goal}/progress-review`,
    receipts: `${goal}/progress-review/receipts`,
    staging: `${goal}/progress-review/tmp`,
  };
}

export type GoalLayout = Readonly<ReturnType<typeof goalLayout>>;

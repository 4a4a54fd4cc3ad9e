/** Milliseconds that pass for everybody, and those that this process spent working. Both only grow. */
export interface Clock {
  wall(): number;
  cpu(): number;
}

export const processClock: Clock = {
  wall: () => performance.now(),
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};

/** How long one file may take. */
export interface Budget {
  expired(): boolean;
}

/** However busy the machine is, a file takes no longer than this many budgets. */
export const PATIENCE = 8;

/**
 * A budget that starts now. It is spent when both clocks say so: on a busy machine time passes without work, and while
 * the engine compiles a grammar in the background work is done that no file asked for.
 */
export function startBudget(milliseconds: number, clock: Clock): Budget {
  const wall = clock.wall() + milliseconds;
  const cpu = clock.cpu() + milliseconds;
  const end = wall + (PATIENCE - 1) * milliseconds;
  return {
    expired() {
      const now = clock.wall();
      return now > wall && (now > end || clock.cpu() > cpu);
    },
  };
}

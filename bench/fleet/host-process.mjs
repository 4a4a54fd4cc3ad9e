// One host of the torture: takes turns on its goals, ships them, and ends when every receipt is back. It may be killed
// at any moment and started again; all that it knows is in its folders.
// Usage: node host-process.mjs BASE HOST TURNS GOAL…
import { setTimeout as sleep } from 'node:timers/promises';
import { openObservedGoal } from './observed-goal.mjs';

const SHIP_EVERY = 10;

const [base, host, turns, ...goals] = process.argv.slice(2);
const observed = goals.map((goal) => openObservedGoal(base, host, goal));
process.stdout.write('ready\n');

const last = Number(turns);
for (let busy = true; busy; ) {
  busy = false;
  for (const one of observed) {
    const n = one.turns() + 1;
    if (n > last) continue;
    busy = true;
    await one.turn(n);
    if (n % SHIP_EVERY === 0) await one.ship(process.env);
  }
}
for (const one of observed)
  for (;;) {
    const outcome = await one.ship(process.env);
    if (outcome?.status === 'shipped' && outcome.unshipped + outcome.awaiting === 0) break;
    await sleep(200);
  }

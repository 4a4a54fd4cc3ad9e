// Kill torture of one observer on this machine: wrappers and drains are SIGKILLed at random moments, robbed of their lock,
// stopped for longer than a lock lives, and run many at once. After each scene nothing that was acknowledged may be lost,
// doubled or torn, every event must have its one receipt, and what drift could not capture must be on its tally. Prints a table; exit 0 when that holds, 1 when not.
// Usage: node torture.mjs [--rounds 60] [--wrappers 8] [--turns 200] [--seed N] [--only SCENE,…] [--json]
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { auditObserver } from './audit.mjs';
import { acknowledged, makeObserved } from './observed.mjs';

const whole = (value) => ({ type: 'string', default: String(value) });
const { values } = parseArgs({
  options: {
    rounds: whole(60),
    wrappers: whole(8),
    turns: whole(200),
    seed: whole(Date.now() % 1_000_000),
    only: { type: 'string', default: 'enqueuers,drains,everything,many,stopped,dead-lock' },
    json: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);

/** A small generator, so that a run can be repeated as far as the machine allows. */
let seed = Number(values.seed);
const random = () => {
  seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
  return seed / 2 ** 32;
};

/** What one scene has seen; `acked` is what must be there afterwards. */
class Scene {
  kills = 0;
  /** Turns that drift itself said it could not capture; they must be on its tally. */
  refused = 0;
  acked = [];
  slowestMs = 0;
  notes = [];
  #said = 0;

  constructor(name, observed) {
    this.name = name;
    this.observed = observed;
    this.begin = performance.now();
  }

  /** Kills a process at a random moment, unless it ends first, and keeps what it had acknowledged. */
  async killed(started, maxMs) {
    const timer = setTimeout(
      () => {
        if (started.child.kill('SIGKILL')) this.kills += 1;
      },
      20 + random() * maxMs,
    );
    const ended = await started.ended;
    clearTimeout(timer);
    return this.keep(ended);
  }

  keep(ended) {
    const entry = acknowledged(ended);
    if (entry) this.acked.push(entry);
    return ended;
  }

  /** A turn that nobody kills must be acknowledged, its command untouched, and soon. */
  async calmTurn(writer, name) {
    const start = performance.now();
    const ended = this.keep(await this.observed.turn(writer, name).ended);
    this.slowestMs = Math.max(this.slowestMs, performance.now() - start);
    if (ended.how !== 0 || ended.out !== `ran ${name}\n`) this.notes.push(`${name} ended with ${ended.how}`);
    const [, reason] = /capture_failed \((\w+)\)/.exec(ended.err) ?? [];
    if (reason === 'contended' || reason === 'files_unstable') this.refused += 1;
    else if (acknowledged(ended) === null) this.notes.push(`${name}: ${ended.err.trim().split('\n').at(-1)}`);
    return ended;
  }

  /** Whoever held the lock is dead or to be robbed; its time of grace is the scene `dead-lock`. */
  get lock() {
    return join(this.observed.state, 'drain.lock');
  }

  /** A drain that stays, once it holds the lock. */
  async stayingDrain() {
    const started = this.observed.drain('--watch-seconds', '0', '--poll-ms', '20');
    while (!existsSync(this.lock)) await sleep(20);
    return started;
  }

  takeLockAway() {
    rmSync(this.lock, { recursive: true, force: true });
  }

  progress(done, all) {
    const now = performance.now();
    if (now - this.#said < 2_000) return;
    this.#said = now;
    process.stderr.write(
      `torture: ${this.name} ${done}/${all}, ${this.kills} kills, ${this.acked.length} acknowledged\n`,
    );
  }
}

const scenes = {
  enqueuers: async (scene) => {
    for (let n = 0; n < rounds; n += 1) {
      await Promise.all([0, 1].map((w) => scene.killed(scene.observed.turn(w, `e${n}-${w}`), 500)));
      await scene.calmTurn(0, `calm${n}`);
      scene.progress(n, rounds);
    }
  },
  drains: async (scene) => {
    for (let n = 0; n < rounds; n += 1) {
      await Promise.all([0, 1].map((w) => scene.calmTurn(w, `d${n}-${w}`)));
      await scene.killed(scene.observed.drain(), 700);
      scene.takeLockAway();
      scene.progress(n, rounds);
    }
  },
  everything: async (scene) => {
    for (let n = 0; n < rounds; n += 1) {
      const { observed } = scene;
      const turns = [0, 1].map((w) => scene.killed(observed.turn(w, `x${n}-${w}`), 700));
      const first = scene.killed(observed.drain('--watch-seconds', '5', '--poll-ms', '20'), 900);
      await sleep(150 + random() * 200);
      scene.takeLockAway();
      const second = scene.killed(observed.drain('--watch-seconds', '5', '--poll-ms', '20'), 900);
      await scene.calmTurn(0, `xc${n}`);
      await Promise.all([...turns, first, second]);
      scene.takeLockAway();
      scene.progress(n, rounds);
    }
  },
  many: async (scene) => {
    const [wrappers, turns] = [Number(values.wrappers), Number(values.turns)];
    const drains = [1, 2].map(() => scene.observed.drain('--watch-seconds', '0', '--poll-ms', '50'));
    let done = 0;
    const take = async (writer) => {
      for (let n = 0; n < turns; n += 1) {
        await scene.calmTurn(writer, `m${writer}-${n}`);
        done += 1;
        scene.progress(done, wrappers * turns);
      }
    };
    await Promise.all(Array.from({ length: wrappers }, (_, writer) => take(writer)));
    for (const { child } of drains) child.kill('SIGTERM');
    const ended = await Promise.all(drains.map((drain) => drain.ended));
    const statuses = ended.map(({ how, out }) => (how === 0 ? JSON.parse(out).status : `ended with ${how}`));
    if (statuses.sort().join() !== 'busy,drained') scene.notes.push(`the two drains: ${statuses.join(', ')}`);
  },
  stopped: async (scene) => {
    const first = await scene.stayingDrain();
    first.child.kill('SIGSTOP');
    for (let n = 0; n < 5; n += 1) await scene.calmTurn(0, `s${n}`);
    await sleep(16_500);
    const second = JSON.parse((await scene.observed.drain().ended).out);
    await scene.calmTurn(0, 'after');
    first.child.kill('SIGCONT');
    const stop = setTimeout(() => first.child.kill('SIGTERM'), 5_000);
    const { how, err } = await first.ended;
    clearTimeout(stop);
    if (second.status !== 'drained') scene.notes.push(`after 16 s without a sign of life: ${second.status}`);
    if (how !== 0) scene.notes.push(`the one that was stopped ended with ${how}: ${err.trim()}`);
  },
  'dead-lock': async (scene) => {
    const first = await scene.stayingDrain();
    first.child.kill('SIGKILL');
    scene.kills += 1;
    await first.ended;
    const start = performance.now();
    for (let status = 'busy'; status === 'busy'; ) {
      await scene.calmTurn(0, `l${scene.acked.length}`);
      status = JSON.parse((await scene.observed.drain().ended).out).status;
      if (status === 'busy') await sleep(500);
    }
    const seconds = (performance.now() - start) / 1_000;
    if (seconds < 8 || seconds > 25) scene.notes.push(`taken over after ${seconds.toFixed(1)} s`);
  },
};

/** Failed captures by drift's own count: one byte each. */
function tallyOf(state) {
  const folder = join(state, 'tally');
  return readdirSync(folder)
    .filter((name) => name !== 'duplicate_event')
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

async function play(name, base) {
  const observed = await makeObserved(mkdtempSync(join(base, `${name}-`)), Number(values.wrappers));
  const scene = new Scene(name, observed);
  await scenes[name](scene);
  const last = JSON.parse((await observed.drain().ended).out);
  if (last.status !== 'drained' || last.remaining !== 0)
    scene.notes.push(`the last drain: ${JSON.stringify(last)}`);
  const audit = auditObserver(observed.state, scene.acked);
  const tallied = tallyOf(observed.state);
  const mayBe = scene.refused + scene.kills;
  if (tallied < scene.refused || tallied > mayBe)
    scene.notes.push(`${scene.refused} not captured, ${tallied} tallied`);
  if (scene.refused > scene.acked.length / 20)
    scene.notes.push(`${scene.refused} turns could not be captured`);
  const seconds = Math.round((performance.now() - scene.begin) / 1_000);
  const { kills, refused, slowestMs, notes } = scene;
  return {
    scene: name,
    kills,
    not_captured: refused,
    ...audit,
    slowest_turn_ms: Math.round(slowestMs),
    seconds,
    notes,
    holds: audit.holds && notes.length === 0,
  };
}

const columns = [
  'scene',
  'kills',
  'acknowledged',
  'not_captured',
  'entries',
  'lost',
  'doubled',
  'torn',
  'unbound',
  'no_receipt',
  'other_receipt',
  'slowest_turn_ms',
  'seconds',
  'holds',
];

const base = mkdtempSync(join(tmpdir(), 'drift-torture-'));
try {
  const played = [];
  for (const name of values.only.split(',')) {
    if (!Object.hasOwn(scenes, name)) throw new Error(`there is no scene ${name}`);
    played.push(await play(name, base));
  }
  if (values.json) console.log(JSON.stringify({ seed: values.seed, scenes: played }));
  else {
    const table = new Table({
      head: columns.map((name) => name.replaceAll('_', ' ')),
      style: { head: [], border: [] },
    });
    for (const row of played) table.push(columns.map((name) => String(row[name])));
    console.log(table.toString());
    for (const { scene, notes, findings } of played)
      for (const note of [...notes, ...findings.map((finding) => JSON.stringify(finding))])
        console.log(`${scene}: ${note}`);
  }
  process.exitCode = played.every(({ holds }) => holds) ? 0 : 1;
} finally {
  rmSync(base, { recursive: true, force: true });
}

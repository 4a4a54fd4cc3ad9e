import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readRequestBudget } from '../../../src/evaluate/system-one/ledger/request-budget.ts';
import { type ObservedWorkspace, observedWorkspace } from '../../support/observed-workspace.ts';
import { key, optionsFor, serve } from '../../support/remote.ts';
import { answersOf, type SystemOneServer } from '../../support/system-one-server.ts';

const drift = fileURLToPath(new URL('../../../bin/drift', import.meta.url));
const env = { PATH: process.env['PATH'], DRIFT_TEST_KEY: key };
const maxRequests = 500;

const observe = (server: SystemOneServer): ObservedWorkspace =>
  observedWorkspace({
    evaluator: 'system-one',
    system_one: optionsFor(server.url, { max_requests: maxRequests }),
  });

async function queue(observed: ObservedWorkspace, turns: number): Promise<void> {
  for (let n = 1; n <= turns; n += 1) await observed.turn(`t${n}`, `x = "mark-${n}-end"\n`);
}

const startDrain = ({ state }: ObservedWorkspace) =>
  spawn(drift, ['drain', '--state-dir', state], { env, stdio: 'ignore', detached: true });

/** The lock of a killed drain lapses after fifteen seconds; here they have passed. */
const letLockLapse = ({ state }: ObservedWorkspace): void =>
  rmSync(join(state, 'drain.lock'), { recursive: true, force: true });

/** Kills a drain and whatever it started, at once. */
function killHard(pid: number | undefined): void {
  try {
    if (pid) process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

async function drainToEnd({ state }: ObservedWorkspace): Promise<{ status: string; remaining: number }> {
  const { stdout } = await promisify(execFile)(drift, ['drain', '--json', '--state-dir', state], { env });
  return JSON.parse(stdout) as { status: string; remaining: number };
}

/** How often each captured change reached the server. */
function sendsPerTurn(server: SystemOneServer): Map<string, number> {
  const sends = new Map<string, number>();
  for (const { body } of server.seen) {
    const mark = /\+x = \\"mark-(\d+)-end/.exec(body)?.[1] ?? '?';
    sends.set(mark, (sends.get(mark) ?? 0) + 1);
  }
  return sends;
}

const receiptsOf = ({ state }: ObservedWorkspace): { status: string; reason: string | null }[] => {
  const folder = join(state, 'runtime', 'goals', 'weather', 'progress-review', 'receipts');
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
};

const isVerdict = ({ status, reason }: { status: string; reason: string | null }): boolean =>
  status === 'completed' || reason === 'may_have_been_sent' || reason === 'poison';

describe('a drain that is killed', () => {
  it('never sends again what the server had received, and says so', async () => {
    const victim: { pid?: number | undefined } = {};
    const server = await serve(async (_body, n) => {
      if (n === 1) killHard(victim.pid);
      return { kind: 'answer', answers: answersOf() };
    });
    const observed = observe(server);
    await queue(observed, 2);

    const drain = startDrain(observed);
    victim.pid = drain.pid;
    await once(drain, 'exit');
    letLockLapse(observed);
    const outcome = await drainToEnd(observed);

    expect(drain.signalCode).toBe('SIGKILL');
    expect(outcome).toMatchObject({ status: 'drained', remaining: 0 });
    expect([...sendsPerTurn(server)]).toEqual([
      ['1', 1],
      ['2', 1],
    ]);
    expect(receiptsOf(observed)).toHaveLength(2);
    expect(receiptsOf(observed)).toContainEqual(
      expect.objectContaining({
        status: 'not_evaluated',
        reason: 'may_have_been_sent',
        drift_signal: { noul: null, choice: null },
      }),
    );
  });

  it('sends nothing twice under forty kills at any moment', { timeout: 240_000 }, async () => {
    const server = await serve(async () => {
      await sleep(60);
      return { kind: 'answer', answers: answersOf() };
    });
    const observed = observe(server);
    await queue(observed, 80);

    for (let kill = 0; kill < 40; kill += 1) {
      const seen = server.seen.length;
      const drain = startDrain(observed);
      const ended = once(drain, 'exit');
      // Two of three while a request is under way or just answered, the third anywhere from the start on.
      const patience = kill % 3 === 0 ? kill * 2 : 500;
      for (let waited = 0; waited < patience && server.seen.length === seen; waited += 1) await sleep(10);
      await sleep((kill * 7) % 80);
      killHard(drain.pid);
      await ended;
      letLockLapse(observed);
    }
    await drainToEnd(observed);

    const sends = sendsPerTurn(server);
    const receipts = receiptsOf(observed);
    expect([...sends.values()].filter((count) => count > 1)).toEqual([]);
    expect(receipts).toHaveLength(80);
    expect(receipts.filter((receipt) => !isVerdict(receipt))).toEqual([]);
    const budget = readRequestBudget(join(observed.state, 's1'), maxRequests);
    expect(budget?.used).toBeGreaterThanOrEqual(server.seen.length);
    expect(receipts.some(({ reason }) => reason === 'may_have_been_sent')).toBe(true);
  });
});

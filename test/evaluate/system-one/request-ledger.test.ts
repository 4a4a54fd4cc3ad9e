import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRequestBudget } from '../../../src/evaluate/system-one/ledger/request-budget.ts';
import {
  openRequestLedger,
  type ReserveResult,
} from '../../../src/evaluate/system-one/ledger/request-ledger.ts';
import { nodeIo, type SpoolIo } from '../../../src/spool/spool-io.ts';
import { eventId } from '../../support/remote.ts';
import { temporaryFolder } from '../../support/rig.ts';

class Killed extends Error {}

/** File operations that stop for good at the n-th, as a process does that is killed there. */
function killedAt(n: number): { io: SpoolIo; count: () => number } {
  let count = 0;
  const io = Object.fromEntries(
    Object.entries(nodeIo).map(([name, operation]) => [
      name,
      (...args: unknown[]) => {
        count += 1;
        if (count >= n) throw new Killed(name);
        return (operation as (...given: unknown[]) => unknown)(...args);
      },
    ]),
  ) as unknown as SpoolIo;
  return { io, count: () => count };
}

/** One life of a process: looks, reserves, sends, saves. Says whether it sent. */
function live(folder: string, io: SpoolIo): { sent: boolean; killed: boolean; result?: ReserveResult } {
  const ledger = openRequestLedger(folder, io);
  let sent = false;
  try {
    if (ledger.find(eventId(1)).state !== 'free') return { sent, killed: false };
    const result = ledger.reserve({ eventId: eventId(1), requestKey: 'k', reservedAt: 'now' }, 10);
    if (result !== 'reserved') return { sent, killed: false, result };
    sent = true;
    ledger.saveOutcome({
      eventId: eventId(1),
      requestKey: 'k',
      receivedAt: 'now',
      outcome: { outcome: 'answered', body: '{}' },
    });
    return { sent, killed: false, result };
  } catch (error) {
    if (error instanceof Killed) return { sent, killed: true };
    throw error;
  }
}

const operations = 60;

describe('openRequestLedger', () => {
  it('sends at most once wherever the process before was killed', () => {
    const lives = Array.from({ length: operations }, (_, n) => {
      const folder = join(temporaryFolder(), 's1');
      const first = live(folder, killedAt(n + 1).io);
      const second = live(folder, nodeIo);
      const third = live(folder, nodeIo);
      return { first, second, third, budget: readRequestBudget(folder, 10) };
    });

    const sends = lives.map(
      ({ first, second, third }) => [first, second, third].filter(({ sent }) => sent).length,
    );
    expect(Math.max(...sends)).toBe(1);
    expect(lives.some(({ first }) => first.killed && first.sent)).toBe(true);
    expect(lives.some(({ first, second }) => first.killed && !first.sent && second.sent)).toBe(true);
    expect(lives.some(({ first }) => !first.killed)).toBe(true);
    expect(lives.filter(({ budget }, n) => (budget?.used ?? 0) < (sends[n] ?? 0))).toEqual([]);
  });

  it('gives the chance of an event to one of two that ask at once', () => {
    const folder = join(temporaryFolder(), 's1');
    const [one, other] = [openRequestLedger(folder), openRequestLedger(folder)];
    const reservation = { eventId: eventId(1), requestKey: 'k', reservedAt: 'now' };

    expect([one, other].map((ledger) => ledger.reserve(reservation, 10))).toEqual([
      'reserved',
      'already_reserved',
    ]);
  });

  it('creates nothing by looking', () => {
    const folder = temporaryFolder();

    expect(openRequestLedger(join(folder, 's1')).find(eventId(1))).toEqual({ state: 'free' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves the chance untouched when the disk is full', () => {
    const folder = join(temporaryFolder(), 's1');
    const full: SpoolIo = {
      ...nodeIo,
      writeSync: (() => {
        throw Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'write' });
      }) as SpoolIo['writeSync'],
    };

    const result = openRequestLedger(folder, full).reserve(
      { eventId: eventId(1), requestKey: 'k', reservedAt: 'now' },
      10,
    );

    expect(result).toBe('unwritable');
    expect(openRequestLedger(folder).find(eventId(1))).toEqual({ state: 'free' });
    expect(readRequestBudget(folder, 10)).toEqual({ used: 0, max: 10 });
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GateEvent, GateTally } from '../../src/contract/gate.ts';
import { blindnessFailure } from '../../src/gate/blindness.ts';
import { tallyGate } from '../../src/gate/tally-gate.ts';

const observedPass: GateEvent[] = [['attempted', 'npm'], ['observed'], ['ran', 'npm test']];
const tally = (events: GateEvent[], debts?: unknown) => tallyGate({ events, debts }) as GateTally;

const anyEvent: fc.Arbitrary<GateEvent> = fc.oneof(
  fc.constantFrom<GateEvent>(['attempted', 'npm'], ['observed'], ['unobserve'], ['spawn_failure', 'make']),
  fc.nat(3).map((n): GateEvent => ['fail', `f${n}`]),
  fc.tuple(fc.nat(3), fc.nat(2)).map(([n, rank]): GateEvent => ['fail_observed', `o${n}`, rank]),
  fc.constantFrom<GateEvent>(['ran', 'npm test'], ['warn', 'w'], ['config_gap', 'g'], ['contract_note', 'c']),
  fc.constantFrom<GateEvent>(['boot_unobserved', 'b'], ['boot_unobserved', null]),
);

describe('tallyGate', () => {
  it('passes on an observation without a note, and names what passed', () => {
    expect(tally(observedPass)).toMatchObject({ verdict: 'PASS', ok: true, reason: 'passed: `npm test`' });
  });

  it('lets the note alone be the reason when nothing was tried', () => {
    const { reason, unobserved } = tally([['warn', 'slow']]);

    expect(reason).toBe(unobserved);
    expect(reason).toMatch(/^UNOBSERVED — NOT a pass: there was no command to run/);
  });

  it('says how many were skipped, then that nothing was runnable, then the warnings', () => {
    expect(
      tally([
        ['attempted', 'a'],
        ['attempted', 'b'],
        ['warn', 'w1'],
        ['warn', 'w2'],
      ]).reason,
    ).toMatch(/every one of the 2 commands .* — nothing runnable here — WARNING: w1 — WARNING: w2$/);
  });

  it('puts the boot note first, then what was not observed, the config gaps and the contract notes', () => {
    const { unobserved } = tally([
      ['contract_note', 'C1.'],
      ['config_gap', 'G1.'],
      ['boot_unobserved', 'B.'],
      ['attempted', 'npm'],
      ['config_gap', 'G2.'],
    ]);

    expect(unobserved).toMatch(/^B\. UNOBSERVED — NOT a pass: .* G1\. G2\. C1\.$/);
  });

  it('forgets a boot note that is taken back', () => {
    expect(tally([...observedPass, ['boot_unobserved', 'b'], ['boot_unobserved', null]]).verdict).toBe(
      'PASS',
    );
  });

  it('numbers several failures by rank and drops warnings and notes', () => {
    const { reason } = tally([
      ['fail', 'late', 2],
      ['fail', 'first'],
      ['fail', 'boot', 0],
      ['warn', 'w'],
      ['config_gap', 'g'],
    ]);

    expect(reason).toBe('3 failures, the weightiest first:\n1. boot\n2. first\n3. late');
  });

  it('keeps one failure word for word', () => {
    expect(tally([['fail', 'npm test: exit 1\nboom']]).reason).toBe('npm test: exit 1\nboom');
  });

  it.each([
    [{ events: [['jump']] }, 'events.0'],
    [{ events: 'none' }, 'events'],
    [{ events: [['fail']] }, 'events.0'],
    [null, ''],
  ])('gives no verdict for %j', (input, field) => {
    expect(tallyGate(input)).toEqual({ ok: false, reason: 'invalid_tally', field });
  });

  it('fails exactly when something failed, and passes only on an observation without a note', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 15 }), (events) => {
        const { verdict, ok, failures, unobserved_set: unobserved, observations } = tally(events);
        const failing = events.filter(([kind]) => kind.startsWith('fail'));
        const boot = events.findLast(([kind]) => kind === 'boot_unobserved')?.[1] ?? null;
        const noted =
          boot !== null || events.some(([kind]) => kind === 'config_gap' || kind === 'contract_note');

        expect(verdict === 'FAIL').toBe(failing.length > 0);
        expect(failures?.length ?? 0).toBe(failing.length);
        expect(verdict === 'PASS').toBe(failing.length === 0 && observations > 0 && !noted);
        expect(ok).toBe(verdict !== 'FAIL');
        expect(unobserved).toBe(verdict === 'UNOBSERVED');
      }),
    );
  });

  it('carries the debts on every shape and never in the reason', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 10 }), (events) => {
        const debts = { open_debts: [{ task: 't', reason: 'DEBT' }], debt_note: '1 DEBT' };
        const with_ = tally(events, debts);

        expect(with_.open_debts).toEqual(debts.open_debts);
        expect(with_.debt_note).toBe('1 DEBT');
        expect(with_.reason).toBe(tally(events).reason);
        expect(with_.reason).not.toContain('DEBT');
      }),
    );
  });
});

describe('blindnessFailure', () => {
  it.each([
    [{ attempts: 0, observations: 0, spawn_failures: 0 }],
    [{ attempts: 2, observations: 1, spawn_failures: 1 }],
    [{ attempts: 2, observations: 0, spawn_failures: 1 }],
  ])('is silent for %j', (counts) => {
    expect(blindnessFailure(counts, [])).toBeNull();
  });

  it('names the runners that cannot be found', () => {
    const counts = { attempts: 2, observations: 0, spawn_failures: 2 };

    expect(blindnessFailure(counts, ['cargo', 'go'])).toMatch(
      /2 commands .* `cargo`, `go` cannot be found here$/,
    );
    expect(blindnessFailure(counts, [])).toMatch(/could be started$/);
  });
});

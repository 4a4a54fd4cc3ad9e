import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { debtOrigins } from '../../src/contract/gate.ts';
import {
  addDebt,
  type DebtRow,
  debtId,
  debtNote,
  formatDebts,
  parseDebts,
  recheckDebts,
} from '../../src/gate/debts.ts';

const row = (reason: string, over: Partial<DebtRow> = {}): DebtRow => ({
  task: 't-1',
  reason,
  origin: 'accepted',
  ...over,
});
const tree = (there: readonly string[] = [], committed: readonly string[] = []) => ({
  exists: (path: string) => there.includes(path),
  isCommitted: (path: string) => committed.includes(path),
});

describe('parseDebts', () => {
  it.each([
    ['two fields mean accepted', 't-1\tflaky test', [row('flaky test')]],
    ['three fields name the origin', 't-1\tx\troot-cause', [row('x', { origin: 'root-cause' })]],
    ['an unknown origin is accepted', 't-1\tx\twhatever', [row('x')]],
    [
      'a row without a task keeps an empty one',
      '\tx\tfinal-gate',
      [row('x', { task: '', origin: 'final-gate' })],
    ],
    ['a row of one field is a reason', 'only a reason', [row('only a reason', { task: '' })]],
    ['an empty reason is ignored', 't-1\t \taccepted\n\n', []],
    ['line ends of another system are read', 't-1\tx\tfinal-gate\r\n', [row('x', { origin: 'final-gate' })]],
  ])('%s', (_name, text, rows) => {
    expect(parseDebts(text)).toEqual(rows);
  });
});

describe('addDebt', () => {
  it('collapses white space and cuts the reason after 300 characters', () => {
    const [added] = addDebt([], row(` a\t\tb\n c${'x'.repeat(400)}`));

    expect(added?.reason).toMatch(/^a b cx+…$/);
    expect([...(added?.reason ?? '')]).toHaveLength(300);
  });

  it('ignores a duplicate whatever its case, but not one of another origin or task', () => {
    const rows = addDebt([], row('Flaky'));

    expect(addDebt(rows, row('fLAKY', { task: 'T-1' }))).toBe(rows);
    expect(addDebt(rows, row('Flaky', { origin: 'root-cause' }))).toHaveLength(2);
    expect(addDebt(rows, row('Flaky', { task: 't-2' }))).toHaveLength(2);
  });

  it('keeps the newest sixty', () => {
    const rows = Array.from({ length: 65 }, (_, n) => row(`reason ${n}`)).reduce<readonly DebtRow[]>(
      addDebt,
      [],
    );

    expect(rows).toHaveLength(60);
    expect(rows.at(0)?.reason).toBe('reason 5');
    expect(rows.at(-1)?.reason).toBe('reason 64');
  });

  it('reads back what it wrote', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ task: fc.string(), reason: fc.string(), origin: fc.constantFrom(...debtOrigins) }),
        ),
        (debts) => {
          const rows = debts.reduce<readonly DebtRow[]>(addDebt, []);

          expect(parseDebts(formatDebts(rows))).toEqual(rows);
          expect(new Set(rows.map(debtId)).size).toBe(rows.length);
        },
      ),
    );
  });
});

describe('recheckDebts', () => {
  const deletion = row('`src/a.ts` was deleted by another task', { origin: 'cross-task-deletion' });

  it('settles a cross-task deletion when the file is back, and nothing else', () => {
    const others = [row('`src/a.ts` is flaky'), row('x', { origin: 'final-gate' })];

    expect(recheckDebts([deletion, ...others], tree(['src/a.ts']))).toMatchObject({
      open: others,
      settled: [deletion],
    });
    expect(recheckDebts([deletion], tree()).open).toHaveLength(1);
  });

  it('marks the claim that a committed file should not be there, and leaves it open', () => {
    const claim = row('src/b.ts should not exist, remove it');

    expect(recheckDebts([claim], tree([], ['src/b.ts'])).open).toMatchObject([
      { reason: claim.reason, conflict: expect.stringContaining('src/b.ts is committed') },
    ]);
    expect(recheckDebts([claim], tree()).open).toMatchObject([{ conflict: null }]);
    expect(recheckDebts([row('src/b.ts is slow')], tree([], ['src/b.ts'])).open).toMatchObject([
      { conflict: null },
    ]);
  });
});

describe('debtNote', () => {
  it('is there only when something is owed', () => {
    const { open } = recheckDebts([row('one'), row('two', { task: '' })], tree());

    expect(debtNote([])).toBeNull();
    expect(debtNote(open)).toBe('2 open debts: t-1 [accepted] one; (no task) [accepted] two');
  });
});

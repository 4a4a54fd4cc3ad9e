import type { JournalEntry } from '../../src/contract/judged-event.ts';
import { serializeReceipt } from '../../src/receipts/publish-receipt.ts';
import { readEvent } from '../../src/spool/read-event.ts';
import { Journal } from '../../src/spool/receipt-journal.ts';
import type { SpoolIo } from '../../src/spool/spool-io.ts';
import { findTail } from '../../src/spool/tail.ts';
import { namesIn, readFile, type SpoolBench } from '../support/spool-bench.ts';

/**
 * Breaches of I1 and I5: what was acknowledged is in the chain exactly once, nothing torn is visible, and the chain is
 * one from the entry `from` on: numbers without a hole, each entry bound to the one before, its before-state the after-state of that one.
 */
export function chainProblems(
  bench: SpoolBench,
  io: SpoolIo,
  acknowledged: readonly string[],
  from = 0,
): string[] {
  const problems: string[] = [];
  const ids = new Set<string>();
  const before = from === 0 ? null : readEvent(io, bench.layout, from - 1);
  let prev = before?.ok ? before.stored.digest : null;
  let state = before?.ok ? (before.stored.event.files[0]?.sha256 ?? null) : null;
  for (let n = from; n <= findTail(io, bench.layout); n += 1) {
    const decoded = readEvent(io, bench.layout, n);
    if (!decoded?.ok) {
      problems.push(`entry ${n} is ${decoded === null ? 'missing' : decoded.damage}`);
      continue;
    }
    const { event, digest } = decoded.stored;
    if (ids.has(event.event_id)) problems.push(`entry ${n} repeats an id`);
    ids.add(event.event_id);
    if (event.prev !== prev) problems.push(`entry ${n} is not bound to the one before`);
    const [file] = event.files;
    if (file?.before && file.before.sha256 !== state) problems.push(`entry ${n} begins elsewhere`);
    prev = digest;
    state = file?.sha256 ?? null;
  }
  return [...problems, ...acknowledged.filter((id) => !ids.has(id)).map((id) => `${id} is lost`)];
}

/** Breaches of I2 and I3 after a drain that came to its end: one receipt an event, whole, with the journal's own bytes. */
export function receiptProblems(bench: SpoolBench, io: SpoolIo): string[] {
  const problems: string[] = [];
  const journal = new Journal(io, bench.layout);
  const expected = new Set<string>();
  for (let n = 0; n <= findTail(io, bench.layout); n += 1) {
    const decoded = readEvent(io, bench.layout, n);
    if (!decoded?.ok || decoded.stored.event.run === null) continue;
    const { event, digest } = decoded.stored;
    const name = `${event.event_id}.json`;
    expected.add(name);
    problems.push(...problemsOf(bench, io, { name, n, line: journal.find(n, digest), status: event.status }));
  }
  const strangers = namesIn(io, bench.goal.receipts).filter((name) => !expected.has(name));
  return [...problems, ...strangers.map((name) => `${name} belongs to no event`)];
}

interface Due {
  readonly name: string;
  readonly n: number;
  readonly line: string | null;
  readonly status: string;
}

function problemsOf(bench: SpoolBench, io: SpoolIo, { name, n, line, status }: Due): string[] {
  let text: string;
  try {
    text = readFile(io, `${bench.goal.receipts}/${name}`);
  } catch {
    return [`event ${n} has no receipt`];
  }
  if (status === 'queued') {
    if (line === null) return [`event ${n} has no result`];
    const { receipt } = JSON.parse(line) as JournalEntry;
    return serializeReceipt(receipt).toString() === text ? [] : [`receipt ${n} differs from its result`];
  }
  try {
    const receipt = JSON.parse(text) as { sequence: number; reason: string };
    return receipt.sequence === n && receipt.reason === status ? [] : [`receipt ${n} says ${receipt.reason}`];
  } catch {
    return [`receipt ${n} is torn`];
  }
}

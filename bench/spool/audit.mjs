// What must be true of an observer after anything that was done to it, and a last drain.
import { examine } from '../../dist/doctor/examine.js';
import { loadObserver } from '../../dist/observer/load-observer.js';
import { readEvent } from '../../dist/spool/read-event.js';
import { nodeIo } from '../../dist/spool/spool-io.js';
import { stateLayout } from '../../dist/spool/state-layout.js';
import { findTail } from '../../dist/spool/tail.js';

const torn = ['entry_damaged', 'entry_missing', 'text_damaged', 'text_missing', 'receipt_rejected'];

/**
 * `acked`: the entries that were acknowledged, as `{sequence, id}` with the beginning of the id. Gives the counts of the
 * table back; `holds` is false when an invariant is broken.
 */
export function auditObserver(state, acked) {
  const layout = stateLayout(state);
  const found = examine({
    state,
    loaded: loadObserver({ stateDir: state, env: {}, cwd: '/' }),
    where: { env: {}, cwd: '/' },
  }).findings.filter(({ isNotice }) => !isNotice);
  const count = (...reasons) => found.filter(({ reason }) => reasons.includes(reason)).length;
  const chain = readChain(layout);
  const ids = new Map(chain.map(({ event }) => [event.sequence, event.event_id]));
  const sums = {
    acknowledged: acked.length,
    entries: chain.length,
    lost: acked.filter(({ sequence, id }) => !ids.get(sequence)?.startsWith(id)).length,
    doubled: count('entry_repeated'),
    torn: count(...torn),
    unbound: countUnbound(chain),
    no_receipt: count('receipt_missing', 'result_missing'),
    other_receipt: count('receipt_differs'),
  };
  const { acknowledged: _acknowledged, entries: _entries, ...broken } = sums;
  const holds = Object.values(broken).every((number) => number === 0) && found.length === 0;
  return { ...sums, holds, findings: found };
}

function readChain(layout) {
  const chain = [];
  for (let n = 0; n <= findTail(nodeIo, layout); n += 1) {
    const decoded = readEvent(nodeIo, layout, n);
    if (decoded?.ok) chain.push(decoded.stored);
  }
  return chain;
}

/** Entries that do not begin where the one before ended, by its digest or by the digest of any file. */
function countUnbound(chain) {
  return chain.filter(({ event }, n) => {
    const before = chain[n - 1];
    if (before === undefined) return event.prev !== null;
    const known = new Map(before.event.files.map(({ path, sha256 }) => [path, sha256]));
    const moved = event.files.some((file) => file.before && file.before.sha256 !== known.get(file.path));
    return event.prev !== before.digest || moved;
  }).length;
}

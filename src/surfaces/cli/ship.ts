import type { Failure } from '../../contract/failure.ts';
import { ok, type Result } from '../../contract/result.ts';
import { runShip, type ShipNotice, type ShipOutcome, type ShipRequest } from '../../fleet/host/run-ship.ts';
import type { Answer } from './command.ts';
import type { Io } from './io.ts';
import { claimLine, eventLine, processedDocument } from './render/drained.ts';

/** `drift drain --ship`: its notices go to stderr while it runs, the answer stands at the end. */
export async function ship(request: Omit<ShipRequest, 'onNotice'>, io: Io): Promise<Result<Answer, Failure>> {
  const notices: ShipNotice[] = [];
  const outcome = await runShip({
    ...request,
    onNotice: (notice) => {
      notices.push(notice);
      io.stderr.write(`drift: ${describe(notice)}\n`);
    },
  });
  return outcome.ok ? ok(answer(outcome.value, notices, io)) : outcome;
}

function answer(outcome: ShipOutcome, notices: readonly ShipNotice[], io: Io): Answer {
  const { status, shipped, received, claims, unshipped, awaiting } = outcome;
  if (status === 'busy') io.stderr.write('drift: another drain is at work; nothing to do here\n');
  const document = {
    status,
    shipped,
    received: received.map(processedDocument),
    unshipped,
    awaiting,
    ...(claims.length > 0 ? { claims } : {}),
    ...(notices.length > 0 ? { notices: notices.slice(-100) } : {}),
  };
  const lines = [...claims.map(claimLine), ...received.map(eventLine)];
  const sum = `${shipped} shipped, ${received.length} received, ${unshipped} to ship, ${awaiting} not judged yet`;
  return { document, text: status === 'busy' ? '' : [...lines, sum].join('\n') };
}

function describe(notice: ShipNotice): string {
  switch (notice.notice) {
    case 'database_unreachable':
      return `the database does not answer (${notice.detail}); next try in ${Math.ceil(notice.retry_ms / 1_000)} s`;
    case 'database_restored':
      return `the database holds this spool up to #${notice.stored_through}, not up to #${notice.shipped_through} as it had said; the rest is sent again`;
    case 'spool_restored':
      return `this spool was restored or copied: the fleet knows another course after #${notice.agreed_through} (up to #${notice.stored_through}), keeps it, and this one goes on under a new id`;
  }
}

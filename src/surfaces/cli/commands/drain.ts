import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Failure } from '../../../contract/failure.ts';
import type { EventSummary } from '../../../contract/judged-event.ts';
import { fail, ok, type Result } from '../../../contract/result.ts';
import { type DrainOutcome, runDrain } from '../../../drain/run-drain.ts';
import { readLabels } from '../../../readmodel/labels.ts';
import { compileAhead } from '../../../shim/launch/compile-ahead.ts';
import { type Answer, defineCommand } from '../command.ts';
import type { Io } from '../io.ts';
import { loadFor } from '../load.ts';
import { claimLine, eventLine, processedDocument } from '../render/drained.ts';
import { renderUnit, type UnitKind, unitKinds } from '../render/unit.ts';
import { shortId } from '../render/words.ts';
import { untilSignalled } from '../until-signalled.ts';

export const command = defineCommand({
  usage: 'drain [--watch-seconds N] [--max N | --ship]',
  describe: 'Judges the queued transitions in sequence and writes one receipt each. One drainer at a time.',
  examples: [
    ['drift drain', 'judge what is queued, then end'],
    ['drift drain --watch-seconds 600', 'stay for ten minutes (0: for ever)'],
    ['drift drain --print-unit systemd', 'a unit that keeps it running'],
    ['drift drain --ship', 'in a fleet: send what is queued, publish what has come back'],
  ],
  build: (yargs) =>
    yargs
      .option('watch-seconds', { type: 'number', describe: 'stay and judge what arrives; 0 means for ever' })
      .option('poll-ms', { type: 'number', default: 1_000, describe: 'how often to look while watching' })
      .option('max', { type: 'number', describe: 'events to judge at most' })
      .option('print-unit', { choices: unitKinds, describe: 'print a service definition and end' })
      .option('ship', {
        type: 'boolean',
        describe: 'let the fleet judge: exchange events and receipts with its database',
      })
      .option('accept-loss', {
        type: 'boolean',
        describe: 'go on from what is here, though entries that were judged are missing',
      })
      .option('republish', { type: 'boolean', describe: 'write missing receipts and markers anew first' })
      .conflicts('ship', ['max', 'print-unit', 'accept-loss', 'republish']),
  run: async (args, io) => {
    const bad = badNumber({ 'watch-seconds': args.watchSeconds, 'poll-ms': args.pollMs, max: args.max });
    if (bad) return fail(bad);
    const loaded = loadFor(args, io);
    if (!loaded.ok) return loaded;
    if (args.printUnit !== undefined)
      return ok(unitAnswer(args.printUnit as UnitKind, loaded.value.state, io));
    // Node may have been replaced since init; the refreshes to come will run on this one.
    compileAhead(fileURLToPath(new URL('../../..', import.meta.url)));
    return untilSignalled(async (signal) => {
      const request = {
        loaded: loaded.value,
        reload: () => loadFor(args, io),
        env: io.env,
        now: io.now,
        clock: () => performance.now(),
        watchMs: args.watchSeconds === undefined ? null : args.watchSeconds * 1_000,
        pollMs: args.pollMs,
        signal,
        onEvent: progress(io),
        labelledIds: () => new Set(readLabels(loaded.value.layout).keys()),
      };
      if (args.ship) return (await import('../ship.ts')).ship(request, io);
      const outcome = await runDrain({
        ...request,
        max: args.max ?? Number.POSITIVE_INFINITY,
        acceptLoss: args.acceptLoss,
        republish: args.republish,
      });
      return outcome.ok ? answer(outcome.value, io) : outcome;
    });
  },
});

function badNumber(values: Record<string, number | undefined>): Failure | null {
  const wrong = Object.entries(values).find(([, value]) => value !== undefined && !(value >= 0));
  return wrong
    ? { reason: 'usage', field: wrong[0], detail: `--${wrong[0]} takes a number, 0 or more` }
    : null;
}

/** Back to the start of the line, with nothing on it. */
const clear = '\r\x1b[K';

function progress(io: Io): (event: EventSummary, remaining: number) => void {
  if (!io.tty.stderr) return () => undefined;
  return ({ sequence, event_id }, remaining) =>
    io.stderr.write(
      remaining === 0 ? clear : `${clear}drain: #${sequence} ${shortId(event_id)}, ${remaining} left`,
    );
}

function answer(outcome: DrainOutcome, io: Io): Result<Answer, Failure> {
  const { status, processed, remaining, claims, republished } = outcome;
  if (status === 'busy') io.stderr.write('drift: another drain is at work; nothing to do here\n');
  const document = {
    status,
    processed: processed.map(processedDocument),
    remaining,
    ...(claims.length > 0 ? { claims } : {}),
    ...(republished === undefined ? {} : { republished }),
  };
  const again = republished === undefined ? [] : [`${republished} receipt(s) written anew`];
  const lines = [...again, ...claims.map(claimLine), ...processed.map(eventLine)];
  const text = [...lines, `${processed.length} judged, ${remaining} left`].join('\n');
  return ok({ document, text: status === 'busy' ? '' : text });
}

function unitAnswer(kind: UnitKind, state: string, io: Io): Answer {
  const program = fileURLToPath(new URL('../../../../bin/drift', import.meta.url));
  const nodeFolder = dirname(process.execPath);
  const unit = renderUnit(kind, { state, home: io.env['HOME'] ?? '/', program, nodeFolder });
  return { document: { unit: kind, text: unit }, text: unit };
}

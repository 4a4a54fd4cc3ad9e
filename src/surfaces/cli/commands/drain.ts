import type { Failure } from '../../../contract/failure.ts';
import type { EventSummary } from '../../../contract/judged-event.ts';
import { fail, ok, type Result } from '../../../contract/result.ts';
import { type DrainOutcome, runDrain } from '../../../drain/run-drain.ts';
import { type Answer, defineCommand } from '../command.ts';
import type { Io } from '../io.ts';
import { loadFor } from '../load.ts';
import { renderUnit, type UnitKind, unitKinds } from '../render/unit.ts';
import { eventWord, shortId } from '../render/words.ts';

export const command = defineCommand({
  usage: 'drain [--watch-seconds N] [--max N]',
  describe: 'Judges the queued transitions in sequence and writes one receipt each. One drainer at a time.',
  examples: [
    ['drift drain', 'judge what is queued, then end'],
    ['drift drain --watch-seconds 600', 'stay for ten minutes (0: for ever)'],
    ['drift drain --print-unit systemd', 'a unit that keeps it running'],
  ],
  build: (yargs) =>
    yargs
      .option('watch-seconds', { type: 'number', describe: 'stay and judge what arrives; 0 means for ever' })
      .option('poll-ms', { type: 'number', default: 1_000, describe: 'how often to look while watching' })
      .option('max', { type: 'number', describe: 'events to judge at most' })
      .option('print-unit', { choices: unitKinds, describe: 'print a service definition and end' }),
  run: async (args, io) => {
    const bad = badNumber({ 'watch-seconds': args.watchSeconds, 'poll-ms': args.pollMs, max: args.max });
    if (bad) return fail(bad);
    const loaded = loadFor(args, io);
    if (!loaded.ok) return loaded;
    if (args.printUnit !== undefined)
      return ok(unitAnswer(args.printUnit as UnitKind, loaded.value.state, io));
    const stop = new AbortController();
    const end = (): void => stop.abort();
    process.on('SIGTERM', end).on('SIGINT', end);
    try {
      const outcome = await runDrain({
        loaded: loaded.value,
        reload: () => loadFor(args, io),
        env: io.env,
        now: io.now,
        clock: () => performance.now(),
        max: args.max ?? Number.POSITIVE_INFINITY,
        watchMs: args.watchSeconds === undefined ? null : args.watchSeconds * 1_000,
        pollMs: args.pollMs,
        signal: stop.signal,
        onEvent: progress(io),
      });
      return outcome.ok ? answer(outcome.value, io) : outcome;
    } finally {
      process.off('SIGTERM', end).off('SIGINT', end);
    }
  },
});

function badNumber(values: Record<string, number | undefined>): Failure | null {
  const wrong = Object.entries(values).find(([, value]) => value !== undefined && !(value >= 0));
  return wrong
    ? { reason: 'usage', field: wrong[0], detail: `--${wrong[0]} takes a number, 0 or more` }
    : null;
}

function progress(io: Io): (event: EventSummary, remaining: number) => void {
  if (!io.tty.stderr) return () => undefined;
  return ({ sequence, event_id }, remaining) =>
    io.stderr.write(
      `\rdrain: #${sequence} ${shortId(event_id)}, ${remaining} left \x1b[K${remaining === 0 ? '\n' : ''}`,
    );
}

function answer(outcome: DrainOutcome, io: Io): Result<Answer, Failure> {
  const { status, processed, remaining, claims } = outcome;
  if (status === 'busy') io.stderr.write('drift: another drain is at work; nothing to do here\n');
  const document = {
    status,
    processed: processed.map(({ event_id, status: verdict, reason, evaluator, drift_signal }) => ({
      event_id,
      status: verdict,
      reason,
      evaluator,
      drift_signal,
    })),
    remaining,
    ...(claims.length > 0 ? { claims } : {}),
  };
  const lines = processed.map(
    (event) => `#${event.sequence} ${shortId(event.event_id)}  ${eventWord(event)}`,
  );
  const heard = claims.map(claimLine);
  const text = [...heard, ...lines, `${processed.length} judged, ${remaining} left`].join('\n');
  return ok({ document, text: status === 'busy' ? '' : text });
}

function claimLine({ agent_id, obligation_id, discharge }: DrainOutcome['claims'][number]): string {
  const how = discharge.accepted
    ? `closes ${obligation_id}: ${discharge.satisfying_outcomes.join(', ')}`
    : `does not close ${obligation_id}: ${discharge.reason_code ?? 'it changes nothing'}`;
  return `claim of ${agent_id} ${how.replaceAll('_', ' ')}`;
}

function unitAnswer(kind: UnitKind, state: string, io: Io): Answer {
  const unit = renderUnit(kind, { state, home: io.env['HOME'] ?? '/' });
  return { document: { unit: kind, text: unit }, text: unit };
}

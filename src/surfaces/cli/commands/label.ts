import type { Failure } from '../../../contract/failure.ts';
import { fail, ok, type Result } from '../../../contract/result.ts';
import type { LoadedObserver } from '../../../observer/load-observer.ts';
import { labelEvent, type WantedLabel } from '../../../readmodel/label-event.ts';
import { truths } from '../../../readmodel/labels.ts';
import { type Answer, defineCommand } from '../command.ts';
import type { Io } from '../io.ts';
import { walkUnlabelled } from '../label-walk.ts';
import { loadFor } from '../load.ts';
import { shortId } from '../render/words.ts';

export const command = defineCommand({
  usage: 'label [--event-id ID --truth TRUTH]',
  describe:
    "Records the owner's word on an event. Labels stay private: they never enter a receipt or a request. Without arguments on a terminal: walks the unlabelled events.",
  examples: [
    ['drift label --event-id 3f9a61c0 --truth drift', 'one event; the last label wins'],
    ['drift label --event-id 3f9a61c0 --truth on_goal --note "the retry itself"', 'with a note'],
    ['drift label', 'see each diff and answer with one key'],
  ],
  build: (yargs) =>
    yargs
      .option('event-id', { type: 'string', describe: 'event id or a prefix of 8 characters or more' })
      .option('truth', { choices: truths, describe: 'what it was' })
      .option('note', { type: 'string', describe: 'at most 200 characters, private' })
      .option('clear', { type: 'boolean', describe: 'take the label back' })
      .conflicts('clear', 'truth'),
  run: async (args, io) => {
    const loaded = loadFor(args, io);
    if (!loaded.ok) return loaded;
    if (args.eventId === undefined) return walk(loaded.value, io);
    if (args.truth === undefined && !args.clear)
      return fail({
        reason: 'usage',
        field: 'truth',
        detail: 'say --truth drift, on_goal or unknown, or --clear',
      });
    return labelOne(loaded.value, {
      prefix: args.eventId,
      truth: args.truth ?? null,
      note: args.note,
      now: io.now(),
    });
  },
});

function labelOne(loaded: LoadedObserver, wanted: WantedLabel): Result<Answer, Failure> {
  const labelled = labelEvent(loaded, wanted);
  if (!labelled.ok) return labelled;
  const { event_id, truth, note = null } = labelled.value;
  const text = truth === null ? `${shortId(event_id)}: label taken back` : `${shortId(event_id)} is ${truth}`;
  return ok({ document: { status: 'labelled', event_id, truth, note }, text });
}

async function walk(loaded: LoadedObserver, io: Io): Promise<Result<Answer, Failure>> {
  if (!io.tty.stdin || !io.tty.stdout)
    return fail({ reason: 'not_a_terminal', detail: 'give --event-id and --truth' });
  const labelled = await walkUnlabelled(loaded, io);
  return ok({ document: { status: 'walked', labelled }, text: `${labelled} event(s) labelled` });
}

import type { Failure } from '../../../contract/failure.ts';
import { fail, ok, type Result } from '../../../contract/result.ts';
import type { LoadedObserver } from '../../../observer/load-observer.ts';
import { labelEvent } from '../../../readmodel/label-event.ts';
import { labelObligation } from '../../../readmodel/label-obligation.ts';
import { obligationTruths, truths } from '../../../readmodel/labels.ts';
import { type Answer, defineCommand } from '../command.ts';
import type { Io } from '../io.ts';
import { walkUnlabelled } from '../label-walk.ts';
import { loadFor } from '../load.ts';
import { shortId } from '../render/words.ts';

export const command = defineCommand({
  usage: 'label [--event-id ID --truth TRUTH | --obligation ID --truth right|wrong|unknown]',
  describe:
    "Records the owner's word on an event or on an obligation. Labels stay private: they never enter a receipt or a request. Without arguments on a terminal: walks the unlabelled events, one key each.",
  examples: [
    ['drift label --event-id 3f9a61c0 --truth drift', 'one event; the last label wins'],
    ['drift label --event-id 3f9a61c0 --truth on_goal --note "the retry itself"', 'with a note'],
    ['drift label', 'see each diff and answer with one key'],
    ['drift label --obligation replan-0123456789abcdef --truth wrong', 'it should not have been raised'],
  ],
  build: (yargs) =>
    yargs
      .option('event-id', { type: 'string', describe: 'event id or a prefix of 8 characters or more' })
      .option('obligation', { type: 'string', describe: 'obligation id, as drift obligation prints it' })
      .option('truth', { choices: [...truths, 'right', 'wrong'] as const, describe: 'what it was' })
      .option('note', { type: 'string', describe: 'at most 200 characters, private' })
      .option('clear', { type: 'boolean', default: false, describe: 'take the label back' })
      .conflicts('event-id', 'obligation'),
  run: async (args, io) => {
    const loaded = loadFor(args, io);
    if (!loaded.ok) return loaded;
    if (args.eventId !== undefined) return labelOneEvent(loaded.value, { ...args, id: args.eventId }, io);
    if (args.obligation !== undefined)
      return labelOneObligation(loaded.value, { ...args, id: args.obligation }, io);
    return walk(loaded.value, io);
  },
});

interface Wanted {
  readonly id: string;
  readonly truth?: string | undefined;
  readonly note?: string | undefined;
  readonly clear: boolean;
}

function labelOneEvent(loaded: LoadedObserver, wanted: Wanted, io: Io): Result<Answer, Failure> {
  const truth = truthFrom(wanted, truths);
  if (!truth.ok) return truth;
  const { id: prefix, note } = wanted;
  const labelled = labelEvent(loaded, { prefix, truth: truth.value, note, now: io.now() });
  if (!labelled.ok) return labelled;
  const { event_id } = labelled.value;
  return ok({
    document: { status: 'labelled', event_id, truth: truth.value, note: note ?? null },
    text: sentence(shortId(event_id), truth.value),
  });
}

function labelOneObligation(loaded: LoadedObserver, wanted: Wanted, io: Io): Result<Answer, Failure> {
  const truth = truthFrom(wanted, obligationTruths);
  if (!truth.ok) return truth;
  const { id: obligationId, note } = wanted;
  const where = { env: io.env, cwd: io.cwd };
  const labelled = labelObligation(loaded, { obligationId, truth: truth.value, note, now: io.now(), where });
  if (!labelled.ok) return labelled;
  return ok({
    document: { status: 'labelled', obligation_id: obligationId, truth: truth.value, note: note ?? null },
    text: sentence(obligationId, truth.value),
  });
}

/** Null: the label is taken back. */
function truthFrom<T extends string>(
  { truth, clear }: Wanted,
  words: readonly T[],
): Result<T | null, Failure> {
  if (clear && truth === undefined) return ok(null);
  const word = words.find((each) => each === truth);
  if (word !== undefined && !clear) return ok(word);
  return fail({
    reason: 'usage',
    field: 'truth',
    detail: `say --truth ${words.join(', ')}, or --clear`,
  });
}

const sentence = (id: string, truth: string | null): string =>
  truth === null ? `${id}: label taken back` : `${id} is ${truth}`;

async function walk(loaded: LoadedObserver, io: Io): Promise<Result<Answer, Failure>> {
  if (!io.tty.stdin || !io.tty.stdout)
    return fail({ reason: 'not_a_terminal', detail: 'give --event-id and --truth' });
  const labelled = await walkUnlabelled(loaded, io);
  return ok({ document: { status: 'walked', labelled }, text: `${labelled} event(s) labelled` });
}

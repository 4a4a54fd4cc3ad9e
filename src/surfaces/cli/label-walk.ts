import type { LoadedObserver } from '../../observer/load-observer.ts';
import { describeEvent } from '../../readmodel/event-detail.ts';
import { findEvent } from '../../readmodel/find-event.ts';
import { labelEvent } from '../../readmodel/label-event.ts';
import type { Truth } from '../../readmodel/labels.ts';
import { readStatus } from '../../readmodel/status.ts';
import { askKey, type KeyAnswer } from './ask-key.ts';
import type { Io } from './io.ts';
import { renderEvent } from './render/event.ts';

/** Lines of an event that are shown before the question; `m` shows the rest. */
const SHOWN_LINES = 60;

type Choice = Truth | 'more' | 'skip' | 'back' | 'quit';

const answers: readonly KeyAnswer<Choice>[] = [
  { key: 'd', value: 'drift', meaning: 'drift: the files only churned' },
  { key: 'g', value: 'on_goal', meaning: 'on goal: it served the goal' },
  { key: 'u', value: 'unknown', meaning: 'unknown: cannot tell' },
  { key: 's', value: 'skip', meaning: 'skip' },
  { key: 'b', value: 'back', meaning: 'back to the one before' },
  { key: 'q', value: 'quit', meaning: 'quit' },
];
const more: KeyAnswer<Choice> = { key: 'm', value: 'more', meaning: 'more of the diff' };

/** Shows each unlabelled event with its diff, oldest first, and takes one key. Gives the number of labels back. */
export async function walkUnlabelled(loaded: LoadedObserver, io: Io): Promise<number> {
  const status = await readStatus(loaded, {
    all: true,
    now: io.now(),
    where: { env: io.env, cwd: io.cwd },
  });
  const open = status.events.filter((event) => event.label === null && event.files.length > 0).reverse();
  const labelled = new Set<string>();
  for (let at = 0; at < open.length; ) {
    const id = open[at]?.event_id ?? '';
    const choice = await showAndAsk(loaded, io, { id, message: `${at + 1} of ${open.length}: what was it?` });
    if (choice === null || choice === 'quit') break;
    if (choice === 'drift' || choice === 'on_goal' || choice === 'unknown') {
      labelEvent(loaded, { prefix: id, truth: choice, now: io.now() });
      labelled.add(id);
    }
    at = choice === 'back' ? Math.max(0, at - 1) : at + 1;
  }
  return labelled.size;
}

interface Step {
  readonly id: string;
  readonly message: string;
}

async function showAndAsk(
  loaded: LoadedObserver,
  io: Io,
  { id, message }: Step,
): Promise<Exclude<Choice, 'more'> | null> {
  const found = findEvent(loaded.layout, id);
  if (!found.ok) return 'skip';
  const lines = renderEvent(describeEvent(loaded, found.value), io, { brief: true }).split('\n');
  const hidden = lines.length - SHOWN_LINES;
  const note = hidden > 0 ? `\n… ${hidden} more line(s)` : '';
  io.stdout.write(`\n${lines.slice(0, SHOWN_LINES).join('\n')}${note}\n\n`);
  const choice = await askKey(message, hidden > 0 ? [...answers, more] : answers);
  if (choice !== 'more') return choice;
  io.stdout.write(`\n${lines.slice(SHOWN_LINES).join('\n')}\n\n`);
  return (await askKey(message, answers)) as Exclude<Choice, 'more'> | null;
}

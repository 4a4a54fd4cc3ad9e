import { select } from '@inquirer/prompts';
import type { LoadedObserver } from '../../observer/load-observer.ts';
import { diffEvent } from '../../readmodel/event-detail.ts';
import { findEvent } from '../../readmodel/find-event.ts';
import { appendLabel, type Truth } from '../../readmodel/labels.ts';
import { readStatus } from '../../readmodel/status.ts';
import type { Io } from './io.ts';
import { renderEvent } from './render/event.ts';

type Choice = Truth | 'skip' | 'quit';

/** Shows each unlabelled event with its diff, oldest first, and asks. Gives the number of labels back. */
export async function walkUnlabelled(loaded: LoadedObserver, io: Io): Promise<number> {
  const { layout, contractRevision } = loaded;
  const status = await readStatus(loaded, {
    all: true,
    now: io.now(),
    where: { env: io.env, cwd: io.cwd },
  });
  const open = status.events.filter((event) => event.label === null && event.files.length > 0).reverse();
  let labelled = 0;
  for (const [index, { event_id }] of open.entries()) {
    const found = findEvent(layout, event_id);
    if (!found.ok) continue;
    const { stored, entry, summary } = found.value;
    const shown = {
      ...summary,
      label: null,
      model: entry?.receipt.model ?? null,
      question_version: entry?.receipt.question_version ?? null,
      contract_revision: stored.event.contract_revision,
      revision_is_current: stored.event.contract_revision === contractRevision,
      captured_at: stored.event.captured_at,
      host: stored.event.host,
      diffs: diffEvent(layout, found.value),
    };
    io.stdout.write(`\n${renderEvent(shown, io)}\n\n`);
    const choice = await ask(`${index + 1} of ${open.length}: what was this turn?`);
    if (choice === 'quit') break;
    if (choice === 'skip') continue;
    appendLabel(layout, { at: new Date(io.now()).toISOString(), event_id, truth: choice });
    labelled += 1;
  }
  return labelled;
}

const ask = (message: string): Promise<Choice> =>
  select<Choice>({
    message,
    choices: [
      { name: 'drift: the files only churned', value: 'drift' },
      { name: 'on goal: it served the goal', value: 'on_goal' },
      { name: 'unknown: cannot tell', value: 'unknown' },
      { name: 'skip', value: 'skip' },
      { name: 'quit', value: 'quit' },
    ],
  });

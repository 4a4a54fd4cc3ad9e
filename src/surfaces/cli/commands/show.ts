import { fail, ok } from '../../../contract/result.ts';
import { describeEvent } from '../../../readmodel/event-detail.ts';
import { findEvent } from '../../../readmodel/find-event.ts';
import { defineCommand } from '../command.ts';
import { loadFor } from '../load.ts';
import { renderEvent } from '../render/event.ts';

export const command = defineCommand({
  usage: 'show EVENT',
  describe:
    'Shows one event: identity, verdict, the reasons for it file by file, and the diff while its text is retained.',
  examples: [
    ['drift show 3f9a61c0', 'any unambiguous prefix of 8 characters or more'],
    ['drift show 3f9a61c0 --json', 'the same for machines'],
  ],
  build: (yargs) => yargs.demandCommand(1, 1, 'name one event'),
  run: async (args, io) => {
    const loaded = loadFor(args, io);
    if (!loaded.ok) return loaded;
    const found = findEvent(loaded.value.layout, String(args._[0] ?? ''));
    if (!found.ok) return fail(found.failure);
    const document = describeEvent(loaded.value, found.value);
    return ok({ document, text: renderEvent(document, io) });
  },
});

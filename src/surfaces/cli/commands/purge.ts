import { fail, ok } from '../../../contract/result.ts';
import { purgeEvent } from '../../../drain/purge-event.ts';
import { findEvent } from '../../../readmodel/find-event.ts';
import { defineCommand } from '../command.ts';
import { loadFor } from '../load.ts';
import { plain } from '../render/fit.ts';
import { shortId } from '../render/words.ts';

export const command = defineCommand({
  usage: 'purge --event ID',
  describe:
    'Drops the raw text that one event carries. Its receipt, result and label stay. Old texts go by themselves (retain_evidence_days).',
  examples: [
    ['drift purge --event 3f9a61c0', 'any unambiguous prefix of 8 characters or more'],
    ['drift purge --event 3f9a61c0 --json', 'says how much was dropped, and what stays for now'],
  ],
  build: (yargs) =>
    yargs.option('event', {
      type: 'string',
      demandOption: true,
      describe: 'event id or a prefix of 8 characters or more',
    }),
  run: async (args, io) => {
    const loaded = loadFor(args, io);
    if (!loaded.ok) return loaded;
    const found = findEvent(loaded.value.layout, args.event);
    if (!found.ok) return fail(found.failure);
    const { event_id, sequence } = found.value.stored.event;
    const purged = await purgeEvent(loaded.value, sequence);
    if (!purged.ok) return purged;
    const { bytes, kept } = purged.value;
    const stays =
      kept.length === 0
        ? ''
        : `\nstill needed for the next turn, dropped by the first drain after it changed: ${kept.map(plain).join(', ')}`;
    return ok({
      document: { status: 'purged', event_id, dropped_bytes: bytes, kept },
      text: `${shortId(event_id)}: ${bytes} byte(s) of text dropped; its receipt stays${stays}`,
    });
  },
});

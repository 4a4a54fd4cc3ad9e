import { fail, ok } from '../../../contract/result.ts';
import { diffEvent } from '../../../readmodel/event-detail.ts';
import { findEvent } from '../../../readmodel/find-event.ts';
import { readLabels } from '../../../readmodel/labels.ts';
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
    const { layout, contractRevision } = loaded.value;
    const found = findEvent(layout, String(args._[0] ?? ''));
    if (!found.ok) return fail(found.failure);
    const { stored, entry, summary } = found.value;
    const label = readLabels(layout).get(summary.event_id) ?? null;
    const { event } = stored;
    const document = {
      schema: 'drift_event_detail_v1',
      ...summary,
      label: label && { truth: label.truth, note: label.note ?? null, at: label.at },
      model: entry?.receipt.model ?? null,
      question_version: entry?.receipt.question_version ?? null,
      engine: entry?.engine ?? null,
      contract_revision: event.contract_revision,
      revision_is_current: event.contract_revision === contractRevision,
      captured_at: event.captured_at,
      host: event.host,
      chain: event.chain,
      command: event.command,
      diffs: diffEvent(layout, found.value),
    };
    return ok({ document, text: renderEvent(document, io) });
  },
});

import { fail, ok } from '../../../contract/result.ts';
import { CaptureFailed } from '../../../shim/capture-failed.ts';
import { takeCheckpoint } from '../../../shim/take-checkpoint.ts';
import { errorCode } from '../../../spool/spool-io.ts';
import { defineCommand } from '../command.ts';
import { loadFor } from '../load.ts';

export const command = defineCommand({
  usage: 'checkpoint --reason TEXT',
  describe:
    'Takes edits made outside the agent (owner, formatter, pull) into the baseline, so that they are never judged as its work.',
  examples: [
    ['drift checkpoint --reason "merged main"', 'after a pull'],
    ['drift checkpoint --reason "ran the formatter" --json', 'for scripts'],
  ],
  build: (yargs) =>
    yargs.option('reason', { type: 'string', demandOption: true, describe: 'why, for the record' }),
  run: async (args, io) => {
    const loaded = loadFor(args, io);
    if (!loaded.ok) return loaded;
    const { layout, observer, config, contractRevision, configDigest } = loaded.value;
    const binding = { observer, scope: config.scope, evaluator: config.evaluator };
    try {
      const note = args.reason.slice(0, 200);
      const event = takeCheckpoint({ layout, binding, contractRevision, configDigest, note });
      const changed = event.files.filter(({ change }) => change).length;
      return ok({
        document: {
          status: 'checkpoint_created',
          sequence: event.sequence,
          changed_files: changed,
          reason: note,
        },
        text: `Checkpoint #${event.sequence}: ${changed} changed file(s) taken into the baseline.`,
      });
    } catch (error) {
      if (error instanceof CaptureFailed)
        return fail({
          reason: 'path_refused',
          file: observer.workspace,
          field: 'path',
          detail: error.reason,
        });
      if (errorCode(error))
        return fail({ reason: 'write_failed', file: layout.events, detail: errorCode(error) ?? '' });
      throw error;
    }
  },
});

import { resolve } from 'node:path';
import { ok } from '../../../contract/result.ts';
import { readGoalEvidence, readGoalHead } from '../../../readmodel/goal-view.ts';
import { renderReport } from '../../report/render-report.ts';
import { writeReport } from '../../report/write-report.ts';
import { defineCommand } from '../command.ts';
import { loadFor } from '../load.ts';
import { renderStatus } from '../render/status.ts';

/** Newest transitions in a report; more would make a page that no browser enjoys. */
const MAX_EVENTS = 2_000;

export const command = defineCommand({
  usage: 'report --html FILE',
  describe:
    'Writes one self-contained HTML page of a goal: timeline, streaks, obligations, labels, confusion, a threshold slider over the stored judgments. No file text is in it, and nothing in it calls out.',
  examples: [
    ['drift report --html drift.html', 'open it in any browser, print it, keep it'],
    ['drift report --html drift.html --json', 'for scripts: what was written where'],
  ],
  build: (yargs) =>
    yargs.option('html', {
      type: 'string',
      demandOption: true,
      describe: 'the file to write (it is replaced)',
    }),
  run: async (args, io) => {
    const loaded = loadFor(args, io);
    if (!loaded.ok) return loaded;
    const where = { env: io.env, cwd: io.cwd };
    const head = readGoalHead(loaded.value, where);
    if (!head.ok) return head;
    const read = await readGoalEvidence(loaded.value, { all: true, now: io.now(), where });
    if (!read.ok) return read;
    const evidence = read.value;
    const { status } = evidence;
    const shown = { ...status, events: status.events.slice(0, MAX_EVENTS) };
    const html = renderReport(
      {
        schema: 'drift_report_v1',
        generated_at: new Date(io.now()).toISOString(),
        head: head.value,
        evidence: { ...evidence, status: shown },
        events_in_all: status.events.length,
      },
      renderStatus(shown, { ...io, colour: false }, false),
    );
    const file = resolve(io.cwd, args.html);
    const written = writeReport(file, html);
    if (!written.ok) return written;
    const bytes = Buffer.byteLength(html);
    return ok({
      document: {
        status: 'written',
        file,
        bytes,
        transitions: shown.events.length,
        transitions_in_all: status.events.length,
      },
      text: `Written to ${file}: ${shown.events.length} transition(s), ${Math.round(bytes / 1_024)} KiB.`,
    });
  },
});

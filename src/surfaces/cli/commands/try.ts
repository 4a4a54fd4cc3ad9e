import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Failure } from '../../../contract/failure.ts';
import type { EventSummary } from '../../../contract/judged-event.ts';
import { fail, ok, type Result } from '../../../contract/result.ts';
import { readStatus, type StatusDocument } from '../../../readmodel/status.ts';
import { type Replayed, replayHistory, turnOf } from '../../../trial/replay-history.ts';
import { type Answer, defineCommand } from '../command.ts';
import type { Io } from '../io.ts';
import { cut, pad, plain, wrap } from '../render/fit.ts';
import { renderStatus } from '../render/status.ts';

const MAX_COMMITS = 2_000;
const LINE_COLUMNS = 80;

/** A goal that asks for no class of tidying, so that the guard of no proof stands in the way. */
const plainGoal = {
  objective: 'The program does what its users need',
  acceptance: ['A change makes the program do something that it did not do before'],
};

export const command = defineCommand({
  usage: 'try --path PATH… [--since REV]',
  describe:
    'Replays local git history through the structural evaluator, one commit a turn, in a temporary folder: what you would have seen. Offline; the repository is only read, and nothing is left behind.',
  examples: [
    ['drift try --path src', 'the newest 200 commits that touched a folder'],
    ['drift try --since v1.0 --path src/client.py --path tests', 'since a tag, two places'],
    ['drift try --since HEAD~50 --glob "**/*.ts" --basis basis.json', 'held against a goal of yours'],
  ],
  build: (yargs) =>
    yargs
      .option('since', {
        type: 'string',
        describe: 'revision to start from (default: as far as --max allows)',
      })
      .option('path', { type: 'string', array: true, default: [] as string[], describe: 'a file or folder' })
      .option('glob', {
        type: 'string',
        array: true,
        default: [] as string[],
        describe: 'a pattern of files; quote it',
      })
      .option('max', { type: 'number', default: 200, describe: 'newest commits at most' })
      .option('basis', { type: 'string', describe: 'basis file of the goal to hold the commits against' })
      .option('keep', { type: 'boolean', default: false, describe: 'leave the temporary observer' }),
  run: async (args, io) => {
    if (args.path.length + args.glob.length === 0)
      return fail({ reason: 'usage', field: 'path', detail: 'name at least one file or folder with --path' });
    if (!(args.max >= 1 && args.max <= MAX_COMMITS))
      return fail({ reason: 'usage', field: 'max', detail: `--max is 1 to ${MAX_COMMITS}` });
    const folder = mkdtempSync(join(tmpdir(), 'drift-try-'));
    try {
      const replayed = await replayHistory({
        folder,
        cwd: io.cwd,
        since: args.since ?? null,
        paths: args.path,
        globs: args.glob,
        max: Math.floor(args.max),
        basis: args.basis === undefined ? { words: plainGoal } : { file: args.basis },
        now: io.now,
        onCommit: progress(io),
      });
      return replayed.ok ? await answer(replayed.value, io, args.keep ? folder : null) : replayed;
    } finally {
      if (!args.keep) rmSync(folder, { recursive: true, force: true });
    }
  },
});

const progress =
  (io: Io) =>
  (_commit: unknown, done: number, total: number): void => {
    if (io.tty.stderr) io.stderr.write(`\r\x1b[K${done === total ? '' : `try: ${done} of ${total} commits`}`);
  };

async function answer(replayed: Replayed, io: Io, kept: string | null): Promise<Result<Answer, Failure>> {
  const status = await readStatus(replayed.loaded, {
    all: true,
    now: io.now(),
    where: { env: io.env, cwd: io.cwd },
  });
  const lines = commitLines(replayed, status);
  const shown = { ...status, events: status.events.slice(0, 10) };
  const text = [
    ...headline(replayed, status),
    '',
    ...lines,
    '',
    'What drift status would say after the newest of them:',
    '',
    renderStatus(shown, io, true),
    '',
    kept === null
      ? 'Next: drift init binds a goal of yours (drift init --help).'
      : `Kept: drift show EVENT --state-dir ${join(kept, 'state')}`,
  ].join('\n');
  const replay = {
    commits: replayed.commits.map((commit) => ({ turn: turnOf(commit), ...commit })),
    declared_files: replayed.declared.length,
    truncated: replayed.truncated,
    kept,
  };
  return ok({ document: { ...status, replay }, text });
}

function headline({ commits, declared, truncated }: Replayed, { events }: StatusDocument): string[] {
  const count = (wanted: (event: EventSummary) => boolean): number => events.filter(wanted).length;
  const drift = count(isDrift);
  const undecided = count(({ status }) => status === 'abstained');
  const others = events.length - drift - undecided;
  const left = truncated ? '; older ones were left out (--max)' : '';
  return [
    `${drift} of ${commits.length} commits are proven churn; ${undecided} undecided, ${others} not evaluated.`,
    ...wrap(
      'Undecided is the normal word for real work: offline, drift proves churn and nothing else. ' +
        `Each commit was played as one turn of an agent, over ${declared.length} file(s)${left}.`,
      LINE_COLUMNS,
    ),
  ];
}

const isDrift = ({ drift_signal: { noul, choice } }: EventSummary): boolean =>
  noul === true || choice === true;

/** The commits that were flagged, with their proof; the rest is in the table below and in `--json`. */
function commitLines({ commits }: Replayed, { events }: StatusDocument): string[] {
  const byTurn = new Map(events.map((event) => [event.run?.turn_instance_id, event]));
  const flagged = commits.flatMap((commit) => {
    const event = byTurn.get(turnOf(commit));
    return event && isDrift(event) ? [{ commit, event }] : [];
  });
  if (flagged.length === 0)
    return ['Nothing was flagged: no commit left all of its files proven equal in what they do or say.'];
  return flagged
    .reverse()
    .flatMap(({ commit, event }) => [
      cut(`${pad(turnOf(commit), 14)}${plain(commit.subject)}`, LINE_COLUMNS),
      ...event.facts
        .filter(({ level }) => level)
        .map(({ path, level, detail }) =>
          cut(plain(`              ${path ?? ''} ${level}: ${detail ?? ''}`), LINE_COLUMNS),
        ),
    ]);
}

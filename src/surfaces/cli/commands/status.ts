import { exitCode } from '../../../contract/exit-code.ts';
import type { Failure } from '../../../contract/failure.ts';
import { fail, ok, type Result } from '../../../contract/result.ts';
import { loadObserver } from '../../../observer/load-observer.ts';
import { readStatus, type StatusDocument } from '../../../readmodel/status.ts';
import { type CommonArguments, defineCommand } from '../command.ts';
import type { Io } from '../io.ts';
import { renderStatus } from '../render/status.ts';

const findings = ['drifting', 'obligation', 'unobserved'] as const;

export const command = defineCommand({
  usage: 'status [--all] [--fail-on FINDING…]',
  describe:
    'Answers in its first line whether the goal is getting anywhere, from the newest attempt; then the events.',
  examples: [
    ['drift status', 'one word and why, counts, the newest events'],
    ['drift status --json --fail-on drifting', 'for scripts: exit 1 while drifting'],
    ['drift status --state-dir a/.drift --state-dir b/.drift', 'several observers'],
  ],
  exits: [['1', 'a finding named by --fail-on holds']],
  build: (yargs) =>
    yargs
      .option('all', { type: 'boolean', default: false, describe: 'every event, not only the newest 50' })
      .option('fail-on', {
        choices: findings,
        array: true,
        default: [] as (typeof findings)[number][],
        describe: 'exit 1 on this finding',
      }),
  run: async (args, io) => {
    const states = args.stateDirs.length > 0 ? args.stateDirs : [undefined];
    const documents = await readAll(states, args, io);
    if (!documents.ok) return documents;
    const [first] = documents.value;
    const exit = documents.value.some((document) => isFinding(document, args.failOn))
      ? exitCode.finding
      : exitCode.done;
    const text = documents.value.map((document) => renderStatus(document, io, args.all)).join('\n\n');
    if (documents.value.length === 1 && first) return ok({ document: first, text, exit });
    return ok({ document: { schema: 'drift_status_list_v1', observers: documents.value }, text, exit });
  },
});

async function readAll(
  states: readonly (string | undefined)[],
  args: CommonArguments & { readonly all: boolean },
  io: Io,
): Promise<Result<StatusDocument[], Failure>> {
  const documents: StatusDocument[] = [];
  for (const stateDir of states) {
    const loaded = loadObserver({ stateDir, config: args.config, env: io.env, cwd: io.cwd });
    if (!loaded.ok) return fail(loaded.failure);
    documents.push(
      await readStatus(loaded.value, {
        all: args.all,
        now: io.now(),
        where: { env: io.env, cwd: io.cwd },
      }),
    );
  }
  return ok(documents);
}

const wordOf = { drifting: 'DRIFTING', obligation: 'OBLIGATION OPEN', unobserved: 'UNOBSERVED' } as const;

const isFinding = (
  { verdict, attempt }: StatusDocument,
  failOn: readonly (typeof findings)[number][],
): boolean => failOn.some((finding) => [verdict, attempt].includes(wordOf[finding]));

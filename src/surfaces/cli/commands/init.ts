import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Failure } from '../../../contract/failure.ts';
import { fail, ok, type Result } from '../../../contract/result.ts';
import { bindCriterion } from '../../../goal/bind-criterion.ts';
import { locateRegistry } from '../../../goal/locate-registry.ts';
import { shareRegistry } from '../../../goal/share-registry.ts';
import { type Created, createObserver } from '../../../observer/create-observer.ts';
import { loadObserver } from '../../../observer/load-observer.ts';
import type { InitRequest } from '../../../observer/plan-observer.ts';
import { compileAhead } from '../../../shim/launch/compile-ahead.ts';
import { hasLowSpace } from '../../../shim/preconditions.ts';
import { locateConfig } from '../../../spool/locate-state.ts';
import { stateLayout } from '../../../spool/state-layout.ts';
import { type Answer, type CommonArguments, defineCommand } from '../command.ts';
import type { Io } from '../io.ts';

interface InitArguments extends CommonArguments {
  readonly basis?: string | undefined;
  readonly objective?: string | undefined;
  readonly acceptance?: readonly string[] | undefined;
  readonly nonGoal?: readonly string[] | undefined;
  readonly path?: readonly string[] | undefined;
  readonly glob?: readonly string[] | undefined;
  readonly workspace: string;
  readonly runtimeRoot?: string | undefined;
  readonly goalId?: string | undefined;
  readonly evaluator?: string | undefined;
  readonly host?: string | undefined;
  readonly like?: string | undefined;
  readonly replace: boolean;
}

export const command = defineCommand({
  usage: 'init --basis FILE | --objective TEXT --acceptance TEXT… --path FILE… [options]',
  describe:
    'Binds one goal to one workspace and takes the first checkpoint. Nothing outside the state directory is changed.',
  examples: [
    [
      'drift init --objective "Retry failed downloads" --acceptance "At most three tries" --path src/client.py',
      'a goal in words, one declared file',
    ],
    [
      'drift init --basis basis.json --glob "src/**/*.ts" --runtime-root ../runtime',
      'a basis file, a pattern, a shared runtime',
    ],
  ],
  build: (yargs) =>
    yargs
      .option('basis', { type: 'string', describe: 'JSON file: objective, acceptance, non_goals, evidence' })
      .option('objective', { type: 'string', describe: 'what the owner wants, in one sentence' })
      .option('acceptance', {
        type: 'string',
        array: true,
        describe: 'one acceptance criterion; repeat for more',
      })
      .option('non-goal', { type: 'string', array: true, describe: 'what is not wanted; repeat for more' })
      .option('path', { type: 'string', array: true, describe: 'a declared file, relative to the workspace' })
      .option('glob', { type: 'string', array: true, describe: 'a pattern of declared files; quote it' })
      .option('workspace', { type: 'string', default: '.', describe: 'the work tree' })
      .option('runtime-root', {
        type: 'string',
        describe: 'where goals/<id>/ lives (default <state-dir>/runtime)',
      })
      .option('goal-id', { type: 'string', describe: "default: the workspace folder's name" })
      .option('evaluator', {
        choices: ['structural', 'system-one', 'cascade', 'chat'],
        describe: 'who judges',
      })
      .option('host', { choices: ['auto', 'generic', 'loopx'], describe: 'who runs the refresh' })
      .option('like', {
        type: 'string',
        describe: 'state directory of an observer of the same goal in another worktree',
      })
      .option('replace', { type: 'boolean', default: false, describe: 'archive the observer that is there' })
      .conflicts('basis', ['objective', 'acceptance', 'non-goal']),
  run: async (args, io) => {
    const request = requestOf(args, io);
    if (!request.ok) return request;
    const created = createObserver({ ...request.value, vouch: bindCriterion });
    if (!created.ok) return created;
    // The refreshes to come will run on this very Node.
    compileAhead(fileURLToPath(new URL('../../..', import.meta.url)));
    const shared = sharePolicy(args.like, request.value, created.value, io);
    if (!shared.ok) return shared;
    warn(created.value, request.value, io);
    return ok(answer(created.value, request.value));
  },
});

function requestOf(args: InitArguments, io: Io): Result<InitRequest, Failure> {
  const state = resolve(io.cwd, args.stateDir ?? io.env['DRIFT_STATE_DIR'] ?? join(args.workspace, '.drift'));
  const common = {
    cwd: io.cwd,
    state,
    configFile: locateConfig(state, args.config, { env: io.env, cwd: io.cwd }),
    workspace: args.workspace,
    evaluator: args.evaluator ?? null,
    host: args.host ?? null,
    replace: args.replace,
    now: new Date(io.now()).toISOString(),
  };
  if (args.like !== undefined) return likeRequest(args.like, args, { ...common });
  const basis = basisOf(args);
  if (!basis.ok) return basis;
  return ok({
    ...common,
    basis: basis.value,
    paths: args.path ?? [],
    globs: args.glob ?? [],
    runtimeRoot: args.runtimeRoot ?? null,
    goalId: args.goalId ?? null,
  });
}

function basisOf(args: InitArguments): Result<InitRequest['basis'], Failure> {
  if (args.basis !== undefined) return ok({ file: args.basis });
  const { objective, acceptance = [], nonGoal = [] } = args;
  if (objective === undefined && acceptance.length === 0)
    return fail({
      reason: 'usage',
      field: 'basis',
      detail: 'say what the goal is: --basis FILE, or --objective and --acceptance',
    });
  return ok({ words: { objective, acceptance, ...(nonGoal.length > 0 ? { non_goals: nonGoal } : {}) } });
}

/** The same goal in another worktree: same basis bytes, declared paths and runtime root (design §3). */
function likeRequest(
  like: string,
  args: InitArguments,
  common: Pick<
    InitRequest,
    'cwd' | 'state' | 'configFile' | 'workspace' | 'evaluator' | 'host' | 'replace' | 'now'
  >,
): Result<InitRequest, Failure> {
  const other = loadObserver({ stateDir: like, env: {}, cwd: common.cwd });
  if (!other.ok) return other;
  const { observer, config } = other.value;
  return ok({
    ...common,
    evaluator: common.evaluator ?? config.evaluator,
    host: common.host ?? config.host,
    basis: { file: observer.basis_file },
    paths: args.path ?? observer.paths,
    globs: args.glob ?? observer.globs.map(({ pattern }) => pattern),
    runtimeRoot: args.runtimeRoot ?? observer.runtime_root,
    goalId: args.goalId ?? observer.goal_id,
  });
}

/** One policy for every observer of the goal. */
function sharePolicy(
  like: string | undefined,
  { state }: InitRequest,
  { observer }: Created,
  io: Io,
): Result<null, Failure> {
  if (like === undefined) return ok(null);
  const { goal_id: goalId, runtime_root: runtimeRoot } = observer;
  const other = stateLayout(resolve(io.cwd, like)).registry;
  const source = locateRegistry({ env: {}, cwd: '/', goalId, own: other })?.file ?? other;
  return shareRegistry(stateLayout(state).registry, { source, goalId, runtimeRoot });
}

function warn({ config }: Created, { state }: InitRequest, io: Io): void {
  if (config.minimum_label_probability > 0.85)
    io.stderr.write(
      'drift: with minimum_label_probability above 0.85 the structural levels L4, then L3, decide nothing\n',
    );
  if (hasLowSpace(state))
    io.stderr.write(`drift: little free space at ${state}; refresh skips the capture until there is more\n`);
}

function answer(
  { observer, contractRevision, scopeFileCount, archive }: Created,
  { state, cwd }: InitRequest,
): Answer {
  const document = {
    status: 'baseline_created',
    goal_id: observer.goal_id,
    scope_file_count: scopeFileCount,
    receipts: observer.receipts,
    contract_revision: contractRevision,
    authority: 'none',
  };
  const repin = `drift configure-goal --goal-id ${observer.goal_id} --progress-review-contract-revision ${contractRevision} --execute`;
  const text = [
    `Observing goal ${observer.goal_id}: ${scopeFileCount} declared file(s), state in ${shortestPath(state, cwd)}`,
    `revision ${contractRevision}`,
    ...(archive
      ? [`The observer that was there is in ${archive}; pin the new revision with:`, `  ${repin}`]
      : []),
    'Next: put "drift refresh --" in front of the refresh command,',
    'and run "drift drain" now and then.',
  ].join('\n');
  return { document: archive ? { ...document, archived_to: archive, repin_command: repin } : document, text };
}

function shortestPath(path: string, cwd: string): string {
  const fromHere = relative(cwd, path);
  return fromHere === '' || fromHere.startsWith('..') ? path : fromHere;
}

import type { AnyCommand } from './command.ts';

interface Entry {
  /** One line for `drift --help`. */
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: AnyCommand }>;
}

/** Every command by name, in the order of `drift --help`. A command's code is loaded when it is called. */
export const commands: Readonly<Record<string, Entry>> = {
  init: {
    summary: 'bind a goal to a workspace and take the first checkpoint',
    load: () => import('./commands/init.ts'),
  },
  refresh: {
    summary: 'run the refresh command unchanged and capture the transition',
    load: () => import('./commands/refresh.ts'),
  },
  checkpoint: {
    summary: 'take edits made outside the agent into the baseline',
    load: () => import('./commands/checkpoint.ts'),
  },
  drain: {
    summary: 'judge the queued transitions and write receipts',
    load: () => import('./commands/drain.ts'),
  },
  status: { summary: 'say whether the goal is getting anywhere', load: () => import('./commands/status.ts') },
  show: { summary: 'show one event with its reasons and diff', load: () => import('./commands/show.ts') },
  label: { summary: "record the owner's word on an event", load: () => import('./commands/label.ts') },
  purge: {
    summary: 'drop the raw text of an event; its receipt stays',
    load: () => import('./commands/purge.ts'),
  },
  configure: { summary: 'change a setting, preview first', load: () => import('./commands/configure.ts') },
  compare: {
    summary: 'play a matrix of recorded cases and score the evaluator',
    load: () => import('./commands/compare.ts'),
  },
  'configure-goal': {
    summary: 'change the policy of a goal, preview first',
    load: () => import('./commands/configure-goal.ts'),
  },
  obligation: {
    summary: 'print the open obligation and every way out of it',
    load: () => import('./commands/obligation.ts'),
  },
  ack: {
    summary: 'offer a claim or a vision against the open obligation',
    load: () => import('./commands/ack.ts'),
  },
  dashboard: {
    summary: 'serve the page for the owner of a goal, on this machine only',
    load: () => import('./commands/dashboard.ts'),
  },
  report: {
    summary: 'write one self-contained HTML page',
    load: () => import('./commands/report.ts'),
  },
  readiness: {
    summary: 'say how far each goal is on the way to assist',
    load: () => import('./commands/readiness.ts'),
  },
  doctor: {
    summary: 'name what is damaged, and what to do about it',
    load: () => import('./commands/doctor.ts'),
  },
  try: {
    summary: 'replay local git history: what you would have seen',
    load: () => import('./commands/try.ts'),
  },
  worker: {
    summary: "judge a fleet's events on this machine",
    load: () => import('./commands/worker.ts'),
  },
  fleet: {
    summary: 'many hosts, one history: status, migrate, join, leave',
    load: () => import('./commands/fleet.ts'),
  },
  demo: { summary: 'see the main job on a made-up goal', load: () => import('./commands/demo.ts') },
  check: {
    summary: 'one look at a dependency per state, never a second at the same',
    load: () => import('./commands/check.ts'),
  },
  gate: {
    summary: 'run everything there is to run: PASS, FAIL or UNOBSERVED',
    load: () => import('./commands/gate.ts'),
  },
  turn: {
    summary: "say how an agent's turn really ended, by its session log",
    load: () => import('./commands/turn.ts'),
  },
  hook: {
    summary: "capture and answer at an agent host's stop hook",
    load: () => import('./commands/hook.ts'),
  },
  rebind: {
    summary: 'follow a workspace that was moved',
    load: () => import('./commands/rebind.ts'),
  },
  uninstall: {
    summary: 'take drift out of a workspace, preview first',
    load: () => import('./commands/uninstall.ts'),
  },
  completion: {
    summary: 'print the completion script of your shell',
    load: () => import('./commands/completion.ts'),
  },
};

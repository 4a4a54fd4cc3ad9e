import type { AnyCommand } from './command.ts';

interface Entry {
  /** One line for `drift --help`. */
  readonly summary: string;
  readonly load: () => Promise<AnyCommand>;
}

/** Every command by name, in the order of `drift --help`. A command's code is loaded when it is called. */
export const commands: Readonly<Record<string, Entry>> = {
  init: {
    summary: 'bind a goal to a workspace and take the first checkpoint',
    load: async () => (await import('./commands/init.ts')).command,
  },
  refresh: {
    summary: 'run the refresh command unchanged and capture the transition',
    load: async () => (await import('./commands/refresh.ts')).command,
  },
  checkpoint: {
    summary: 'take edits made outside the agent into the baseline',
    load: async () => (await import('./commands/checkpoint.ts')).command,
  },
  drain: {
    summary: 'judge the queued transitions and write receipts',
    load: async () => (await import('./commands/drain.ts')).command,
  },
  status: {
    summary: 'say whether the goal is getting anywhere',
    load: async () => (await import('./commands/status.ts')).command,
  },
  show: {
    summary: 'show one event with its reasons and diff',
    load: async () => (await import('./commands/show.ts')).command,
  },
  label: {
    summary: "record the owner's word on an event",
    load: async () => (await import('./commands/label.ts')).command,
  },
  configure: {
    summary: 'change a setting, preview first',
    load: async () => (await import('./commands/configure.ts')).command,
  },
  compare: {
    summary: 'play a matrix of recorded cases and score the evaluator',
    load: async () => (await import('./commands/compare.ts')).command,
  },
  'configure-goal': {
    summary: 'change the policy of a goal, preview first',
    load: async () => (await import('./commands/configure-goal.ts')).command,
  },
  obligation: {
    summary: 'print the open obligation and every way out of it',
    load: async () => (await import('./commands/obligation.ts')).command,
  },
  ack: {
    summary: 'offer a claim or a vision against the open obligation',
    load: async () => (await import('./commands/ack.ts')).command,
  },
  demo: {
    summary: 'see the main job on a made-up goal',
    load: async () => (await import('./commands/demo.ts')).command,
  },
  check: {
    summary: 'one look at a dependency per state, never a second at the same',
    load: async () => (await import('./commands/check.ts')).command,
  },
};

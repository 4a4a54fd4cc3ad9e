import type { AnyCommand } from './command.ts';

interface Entry {
  /** One line for `drift --help`. */
  readonly summary: string;
  readonly load: () => Promise<AnyCommand>;
}

/** Every command by name, in the order of `drift --help`. A command's code is loaded when it is called. */
export const commands: Readonly<Record<string, Entry>> = {
  refresh: {
    summary: 'run the refresh command unchanged and capture the transition',
    load: async () => (await import('./commands/refresh.ts')).command,
  },
  check: {
    summary: 'one look at a dependency per state, never a second at the same',
    load: async () => (await import('./commands/check.ts')).command,
  },
  gate: {
    summary: 'run everything there is to run: PASS, FAIL or UNOBSERVED',
    load: async () => (await import('./commands/gate.ts')).command,
  },
};

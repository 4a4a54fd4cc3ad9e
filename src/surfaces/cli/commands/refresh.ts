import type { Options } from 'yargs';
import { fail } from '../../../contract/result.ts';
import { refreshFlags, refreshSwitches } from '../../../shim/refresh-options.ts';
import { defineCommand } from '../command.ts';

/** Only reached without a command to wrap: the launcher sends every real `refresh` to the hot path. */
export const command = defineCommand({
  usage: 'refresh [options] -- <command…>',
  describe:
    'Runs <command…> unchanged (bytes, exit status, signals, terminal), snapshots the declared files and queues one event. Nothing that goes wrong in drift changes the command.',
  examples: [
    ['drift refresh -- loopx refresh-state --goal-id demo', 'in front of a real refresh'],
    [
      'drift refresh --agent-id worker --turn-id t-7 -- ./refresh.sh',
      'any command, with the identity of the turn',
    ],
  ],
  exits: [
    ['0', 'as the command; so is any other status, and a signal that ended it ends drift too'],
    ['2', 'no command after --'],
    ['126', 'the command cannot be executed'],
    ['127', 'it is not found'],
    ['70', 'only where there is no command to wrap'],
  ],
  build: (yargs) =>
    yargs.options({ ...describeAll(refreshFlags, 'string'), ...describeAll(refreshSwitches, 'boolean') }),
  run: async () => fail({ reason: 'usage', detail: 'refresh needs a command after --' }),
});

function describeAll(
  flags: Readonly<Record<string, string>>,
  type: 'string' | 'boolean',
): Record<string, Options> {
  return Object.fromEntries(Object.entries(flags).map(([flag, describe]) => [flag, { type, describe }]));
}

import { fail } from '../../../contract/result.ts';
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
  build: (yargs) =>
    yargs
      .option('agent-id', { type: 'string', describe: 'who worked (DRIFT_AGENT_ID)' })
      .option('todo-id', { type: 'string', describe: 'what was worked on (DRIFT_TODO_ID)' })
      .option('turn-id', { type: 'string', describe: 'which turn this ends (DRIFT_TURN_ID)' })
      .option('explain', {
        type: 'boolean',
        describe: 'say on stderr what was found and captured, or why not',
      }),
  run: async () => fail({ reason: 'usage', detail: 'refresh needs a command after --' }),
});

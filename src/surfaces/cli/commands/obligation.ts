import { exitCode } from '../../../contract/exit-code.ts';
import { fail, ok } from '../../../contract/result.ts';
import { readGoalPolicy, readGoalReview } from '../../../goal/goal-review.ts';
import { type OpenObligation, openObligations } from '../../../goal/open-obligations.ts';
import { type Answer, defineCommand } from '../command.ts';
import { loadFor } from '../load.ts';
import { obligationPrompt, obligationText } from '../render/obligation.ts';

export const command = defineCommand({
  usage: 'obligation [--agent-id A] [--prompt]',
  describe:
    'Prints the open obligation with every way out of it. Exit 1 while one is open, so that a host can gate on it.',
  examples: [
    ['drift obligation --json', 'for a host: {"open":false}, or the obligation and its requirements'],
    ['drift obligation --agent-id worker --prompt', "the text for the agent's next prompt"],
  ],
  exits: [['1', 'an obligation is open']],
  build: (yargs) =>
    yargs
      .option('goal-id', { type: 'string', describe: "the goal, if it is not the observer's it is refused" })
      .option('agent-id', { type: 'string', describe: "one agent's lane (else every agent's)" })
      .option('registry', { type: 'string', describe: 'registry file of LoopX' })
      .option('prompt', {
        type: 'boolean',
        default: false,
        describe: "print the text for the agent's next prompt",
      }),
  run: async (args, io) => {
    const loaded = loadFor(args, io);
    if (!loaded.ok) return loaded;
    const { goal_id } = loaded.value.observer;
    if (args.goalId !== undefined && args.goalId !== goal_id)
      return fail({
        reason: 'goal_not_found',
        field: args.goalId,
        file: loaded.value.layout.observer,
        nearest: goal_id,
      });
    const review = readGoalReview(
      loaded.value,
      readGoalPolicy(loaded.value, { env: io.env, cwd: io.cwd, registry: args.registry }),
    );
    const open = (review ? openObligations(loaded.value, review) : []).filter(
      ({ agent_id }) => args.agentId === undefined || agent_id === args.agentId,
    );
    return ok(answer(open, { goal_id, prompt: args.prompt }));
  },
});

function answer(
  open: readonly OpenObligation[],
  { goal_id, prompt }: { readonly goal_id: string; readonly prompt: boolean },
): Answer {
  const [first, ...others] = open;
  if (!first) return { document: { open: false, goal_id }, text: prompt ? '' : 'No open obligation.' };
  const document = { open: true, ...first, ...(others.length > 0 ? { others } : {}) };
  const texts = open.map(prompt ? obligationPrompt : obligationText);
  return { document, text: texts.join('\n\n'), exit: exitCode.finding };
}

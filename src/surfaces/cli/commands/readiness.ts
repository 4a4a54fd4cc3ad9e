import type { Failure } from '../../../contract/failure.ts';
import { ok, type Result } from '../../../contract/result.ts';
import { loadObserver } from '../../../observer/load-observer.ts';
import { assessLadder, ladderClosing } from '../../../readiness/maturity-ladder.ts';
import { type ReadGoal, readReadiness } from '../../../readiness/read-readiness.ts';
import { type CommonArguments, defineCommand } from '../command.ts';
import type { Io } from '../io.ts';
import { renderReadiness } from '../render/readiness.ts';

export const command = defineCommand({
  usage: 'readiness [--state-dir DIR…]',
  describe:
    'Prints what each goal has to show and the entry evidence of each stage of the maturity ladder, met or missing, with who decides. It decides nothing.',
  examples: [
    ['drift readiness', 'the goal of this folder'],
    ['drift readiness --state-dir a/.drift --state-dir b/.drift', 'several goals: stage 1 asks for two'],
  ],
  build: (yargs) => yargs,
  run: async (args, io) => {
    const goals = await readAll(args, io);
    if (!goals.ok) return goals;
    const stages = assessLadder(goals.value);
    const document = {
      schema: 'drift_readiness_v1',
      goals: goals.value,
      stages,
      closing: ladderClosing,
    };
    return ok({ document, text: renderReadiness(goals.value, stages, io) });
  },
});

async function readAll(args: CommonArguments, io: Io): Promise<Result<ReadGoal[], Failure>> {
  const { env, cwd } = io;
  const goals: ReadGoal[] = [];
  for (const stateDir of args.stateDirs.length > 0 ? args.stateDirs : [undefined]) {
    const loaded = loadObserver({ stateDir, config: args.config, env, cwd });
    if (!loaded.ok) return loaded;
    const goal = await readReadiness(loaded.value, { where: { env, cwd }, now: io.now() });
    if (!goal.ok) return goal;
    goals.push(goal.value);
  }
  return ok(goals);
}

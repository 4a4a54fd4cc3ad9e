import type { Config } from '../contract/config.ts';
import { cascade, sparingCycles } from './cascade.ts';
import type { Evaluation, Evaluator } from './evaluator.ts';
import type { SystemOneSetting } from './system-one/options.ts';

/** What ties an evaluator to one event of an observer. */
export type EventBinding = Pick<SystemOneSetting, 'eventId' | 'guard'>;

/** Makes the evaluator of one event. */
export type EvaluatorFor = (binding: EventBinding) => Evaluator;

export interface EvaluatorNeeds extends Pick<SystemOneSetting, 'env' | 'now' | 'recorded'> {
  /** Private folder of the durable requests: `stateLayout(…).requests`. */
  readonly requestFolder: string;
}

/** The evaluator that a configuration names. What it is made of is loaded when it is first asked. */
export function chooseEvaluator(config: Config, needs: EvaluatorNeeds): EvaluatorFor {
  const structural: Evaluator = async (input) =>
    (await import('./structural/evaluate.ts')).evaluateStructural(input);
  switch (config.evaluator) {
    case 'structural':
      return () => structural;
    case 'cascade':
      return (binding) => cascade(structural, systemOne(config, needs, binding));
    case 'system-one':
      return (binding) => sparingCycles(structural, systemOne(config, needs, binding));
    case 'chat':
      return () => async () => unasked('chat', 'evaluator_unavailable');
  }
}

function systemOne(
  config: Config,
  { requestFolder, ...needs }: EvaluatorNeeds,
  binding: EventBinding,
): Evaluator {
  return async (input) => {
    const { system_one: options, minimum_label_probability: labelThreshold } = config;
    // Without a block of its own nobody has allowed it to send anything.
    if (options === undefined) return unasked('system-one', 'egress_not_allowed');
    const [{ createSystemOneEvaluator }, { openRequestLedger }] = await Promise.all([
      import('./system-one/evaluate-system-one.ts'),
      import('./system-one/ledger/request-ledger.ts'),
    ]);
    const ledger = openRequestLedger(requestFolder);
    return createSystemOneEvaluator({ ...needs, ...binding, options, labelThreshold, ledger })(input);
  };
}

const unasked = (evaluator: string, reason: string): Evaluation => ({
  status: 'not_evaluated',
  reason,
  judgments: { choice: null, noul: null },
  facts: [],
  evaluator,
  model: 'none',
  question_version: 'none',
});

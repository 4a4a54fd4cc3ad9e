import { type Config, configSchema } from '../../contract/config.ts';
import { configSchemaVersion } from '../../contract/config-keys.ts';
import type { FleetTerms } from '../../contract/fleet-terms.ts';
import { unevaluated } from '../../drain/judge-event.ts';
import { cascade, sparingCycles } from '../../evaluate/cascade.ts';
import { chooseEvaluator, type EvaluatorFor, type EvaluatorNeeds } from '../../evaluate/choose-evaluator.ts';
import type { Evaluator } from '../../evaluate/evaluator.ts';

/** What the worker brings itself: where requests go, with which key, and where they are recorded. */
export interface WorkerMeans extends Pick<EvaluatorNeeds, 'env' | 'now' | 'requestFolder'> {
  /** The worker's own configuration; null: it sends nothing. */
  readonly config: Config | null;
  /** Who judges; left out: whom the terms name. */
  readonly evaluatorOf?: (config: Config) => EvaluatorFor;
}

/** The configuration that an event is judged under: the host's terms, the worker's means. Null terms: the defaults. */
export function configFor(terms: FleetTerms | null, { config }: WorkerMeans): Config {
  const defaults = configSchema.parse({ schema_version: configSchemaVersion });
  if (terms === null) return defaults;
  const { evaluator, structural, minimum_label_probability, signal_rule, allow_egress } = terms;
  const allowed = allow_egress && config !== null;
  return {
    ...defaults,
    evaluator,
    structural,
    minimum_label_probability,
    signal_rule,
    ...(allowed && config.system_one ? { system_one: config.system_one } : {}),
    ...(allowed && config.chat ? { chat: config.chat } : {}),
  };
}

/**
 * The evaluator of one attempt. A request is made at most once in the life of an event, and the record of it lies with
 * the worker that made it: a second attempt, which may be another worker's, sends nothing.
 */
export function evaluatorFor(config: Config, means: WorkerMeans, attempt: number): EvaluatorFor {
  if (means.evaluatorOf) return means.evaluatorOf(config);
  if (attempt <= 1 || config.evaluator === 'structural') return chooseEvaluator(config, means);
  const structural = chooseEvaluator({ ...config, evaluator: 'structural' }, means);
  const sent: Evaluator = async () => unevaluated('not_evaluated', 'may_have_been_sent', config);
  return (binding) => (config.evaluator === 'cascade' ? cascade : sparingCycles)(structural(binding), sent);
}

import { type DriftSignal, signalRules } from '../contract/receipt.ts';
import { asJsonObject, type JsonObject } from '../json/json-object.ts';

/** `rule` is a `signal_rule_version`, `threshold` the `label_probability_threshold` of a receipt. */
export interface DeriveSignalsInput {
  readonly judgments: unknown;
  readonly threshold: unknown;
  readonly status: unknown;
  readonly rule: unknown;
}

/**
 * What the judgments of one receipt say about drift (contract §5, seed: signal rules v1 and v2).
 *
 * True is drift, false is "not drift" (never "on goal"), null is undecided. Anything that is not completed, and a rule
 * that is not known, decides nothing. Both sides of a shared runtime must compute `1 - threshold` in IEEE doubles,
 * exactly so: a reader refuses a receipt whose signals it cannot reproduce.
 */
export function deriveSignals(input: DeriveSignalsInput): DriftSignal {
  const { judgments, threshold, status, rule } = asJsonObject(input);
  const known = rule === signalRules.v1 || rule === signalRules.v2;
  if (!known || status !== 'completed') return { noul: null, choice: null };
  const { noul, choice } = asJsonObject(judgments);
  return {
    noul: noulSignal(asJsonObject(noul), threshold, rule === signalRules.v2),
    choice: choiceSignal(asJsonObject(choice)),
  };
}

function choiceSignal({ relation, increment }: JsonObject): boolean | null {
  if (relation === 'off_goal' && increment === 'no_new_evidence') return true;
  if (relation === 'on_goal' || relation === 'necessary_prerequisite') return false;
  return increment === 'new_evidence' ? false : null;
}

/** `behavior_change` never gates. Drift and not-drift meet only at a threshold of 0.5; v1 then says drift, v2 nothing. */
function noulSignal(noul: JsonObject, threshold: unknown, overlapIsUndecided: boolean): boolean | null {
  const { serves_acceptance: acceptance, evidence_increment: evidence } = noul;
  if (!isProbability(acceptance) || !isProbability(evidence) || !isProbability(threshold)) return null;
  const ceiling = 1 - threshold;
  const drift = acceptance <= ceiling && evidence <= ceiling;
  const notDrift = acceptance >= threshold || evidence >= threshold;
  if (drift && notDrift && overlapIsUndecided) return null;
  if (drift) return true;
  return notDrift ? false : null;
}

const isProbability = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= 1;

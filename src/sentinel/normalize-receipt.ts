import {
  type ChoiceJudgment,
  type DriftSignal,
  increments,
  type Judgments,
  type NormalizedReceipt,
  type NoulJudgment,
  type ReceiptFault,
  receiptSchemaVersion,
  receiptStatuses,
  relations,
  signalRules,
} from '../contract/receipt.ts';
import { asJsonObject, isJsonObject, type JsonObject } from '../json/json-object.ts';
import { deriveSignals } from './derive-signals.ts';
import { evidenceScopeAt } from './evidence-scope.ts';
import {
  exactObject,
  FieldFault,
  hex64At,
  integerAt,
  numberAt,
  objectAt,
  oneOf,
  optionalTextAt,
  textAt,
} from './receipt-field.ts';

export type NormalizeReceiptResult =
  | { readonly ok: true; readonly receipt: NormalizedReceipt }
  | { readonly ok: false; readonly reason: ReceiptFault; readonly field: string };

/**
 * Reads one receipt of rule v1 or v2 strictly (contract §5): texts stripped, keys it does not know dropped, the stored
 * rule version echoed, and the signals recomputed from the judgments; a receipt whose signals differ is refused.
 * What the file says of `receipt_id` and `authority` is not believed.
 */
export function normalizeReceipt(input: { readonly receipt: unknown }): NormalizeReceiptResult {
  const { receipt } = asJsonObject(input);
  if (!isJsonObject(receipt)) return { ok: false, reason: 'not_an_object', field: '' };
  try {
    return { ok: true, receipt: readReceipt(receipt) };
  } catch (fault) {
    if (fault instanceof FieldFault) return { ok: false, reason: fault.reason, field: fault.field };
    throw fault;
  }
}

function readReceipt(raw: JsonObject): NormalizedReceipt {
  versionAt(raw['schema_version'], [receiptSchemaVersion], 'schema_version');
  const rule = versionAt(raw['signal_rule_version'], [signalRules.v1, signalRules.v2], 'signal_rule_version');
  const eventId = hex64At(raw['event_id'], 'event_id');
  const status = oneOf(textAt(raw['status'], 'status'), receiptStatuses, 'status');
  const judgments = judgmentsAt(raw['judgments']);
  const threshold = numberAt(raw['label_probability_threshold'], 'label_probability_threshold', 0.5, 1);
  const goalId = textAt(raw['goal_id'], 'goal_id');
  const run = runAt(raw['run']);
  const scope = evidenceScopeAt(raw['evidence_scope'], { ...run, goal_id: goalId });
  return {
    schema_version: receiptSchemaVersion,
    receipt_id: eventId,
    goal_id: goalId,
    event_id: eventId,
    evidence_id: hex64At(raw['evidence_id'], 'evidence_id'),
    contract_revision: hex64At(raw['contract_revision'], 'contract_revision'),
    sequence: integerAt(raw['sequence'], 'sequence'),
    run,
    status,
    reason: reasonAt(raw['reason']),
    signal_rule_version: rule,
    question_version: textAt(raw['question_version'], 'question_version'),
    model: textAt(raw['model'], 'model'),
    judgments,
    drift_signal: signalsAt(raw['drift_signal'], deriveSignals({ judgments, threshold, status, rule })),
    label_probability_threshold: threshold,
    timing_ns: timingsAt(raw['timing_ns']),
    usage: usageAt(raw['usage']),
    recorded_at: numberAt(raw['recorded_at'], 'recorded_at', 0),
    ...(scope ? { evidence_scope: scope } : {}),
    authority: 'none',
  };
}

function versionAt<T extends string>(value: unknown, known: readonly T[], field: string): T {
  if (value !== undefined && !known.includes(value as T)) throw new FieldFault('unknown_version', field);
  return oneOf(value, known, field);
}

function runAt(value: unknown): NormalizedReceipt['run'] {
  const run = objectAt(value, 'run');
  return {
    turn_instance_id: optionalTextAt(run['turn_instance_id'], 'run.turn_instance_id'),
    generated_at: textAt(run['generated_at'], 'run.generated_at'),
    agent_id: optionalTextAt(run['agent_id'], 'run.agent_id'),
    todo_id: optionalTextAt(run['todo_id'], 'run.todo_id'),
  };
}

function reasonAt(value: unknown): string | null {
  const reason = optionalTextAt(value, 'reason');
  if (reason !== null && !/^[a-z0-9_]{1,80}$/.test(reason)) throw new FieldFault('not_allowed', 'reason');
  return reason;
}

function judgmentsAt(value: unknown): Judgments {
  const { choice, noul } = objectAt(value, 'judgments');
  return { choice: choiceAt(choice), noul: noulAt(noul) };
}

function choiceAt(value: unknown): ChoiceJudgment | null {
  if (value === undefined || value === null) return null;
  const field = 'judgments.choice';
  const { relation, increment } = exactObject(value, ['relation', 'increment'], field);
  return {
    relation: oneOf(relation, [...relations, null], `${field}.relation`),
    increment: oneOf(increment, [...increments, null], `${field}.increment`),
  };
}

function noulAt(value: unknown): NoulJudgment | null {
  if (value === undefined || value === null) return null;
  const field = 'judgments.noul';
  const questions = ['behavior_change', 'serves_acceptance', 'evidence_increment'] as const;
  const noul = exactObject(value, questions, field);
  const probability = (name: (typeof questions)[number]): number | null =>
    noul[name] === null ? null : numberAt(noul[name], `${field}.${name}`, 0, 1);
  return {
    behavior_change: probability('behavior_change'),
    serves_acceptance: probability('serves_acceptance'),
    evidence_increment: probability('evidence_increment'),
  };
}

function signalsAt(value: unknown, derived: DriftSignal): DriftSignal {
  const stored = exactObject(value, ['noul', 'choice'], 'drift_signal');
  for (const kind of ['noul', 'choice'] as const) {
    const signal = oneOf(stored[kind], [true, false, null], `drift_signal.${kind}`);
    if (signal !== derived[kind]) throw new FieldFault('signal_disagrees', `drift_signal.${kind}`);
  }
  return derived;
}

function timingsAt(value: unknown): Record<string, number> {
  if (value === undefined || value === null) return {};
  const entries = Object.entries(objectAt(value, 'timing_ns'));
  if (entries.length > 16) throw new FieldFault('out_of_range', 'timing_ns');
  return Object.fromEntries(entries.map(([key, ns]) => [key, integerAt(ns, `timing_ns.${key}`)]));
}

function usageAt(value: unknown): NormalizedReceipt['usage'] {
  if (value === undefined || value === null) return null;
  const counts = Object.entries(objectAt(value, 'usage')).map(([key, count]) => {
    if (key !== 'input_tokens' && key !== 'output_tokens')
      throw new FieldFault('unknown_key', `usage.${key}`);
    return [key, integerAt(count, `usage.${key}`)];
  });
  return Object.fromEntries(counts);
}

import { fail, ok, type Result } from '../../../contract/result.ts';
import { type JsonFault, type JsonValue, parseStrictJson } from '../../../json/strict-json.ts';
import type { ChangeQuestions } from '../request/questions.ts';

/** A decoded answer to the five questions: every number a probability in [0, 1]. */
export interface Answers {
  readonly choice: Readonly<Record<'relation' | 'increment', ChoiceAnswer>>;
  readonly noul: Readonly<Record<'behavior_change' | 'serves_acceptance' | 'evidence_increment', number>>;
}

export interface ChoiceAnswer {
  readonly label: string;
  /** Of the chosen label. */
  readonly probability: number;
}

export interface DecodedResponse {
  /** The version that the provider resolved the configured name to. */
  readonly model: string;
  readonly answers: Answers;
  readonly usage: { readonly input_tokens?: number; readonly output_tokens?: number } | null;
}

export interface Expected {
  readonly model: string;
  readonly modelMatch: 'exact' | 'prefix';
  readonly questions: ChangeQuestions;
}

type Fields = Readonly<Record<string, JsonValue>>;

/** Probabilities come rounded to two decimals: a sum may be off by this much, and two labels may tie within a step. */
const sumTolerance = 0.02;
const roundingStep = 0.01;
const slack = 1e-9;

class Refused extends Error {}

/**
 * Decodes one response strictly: exactly the five answers, every label of a choice and no other, a choice that is the
 * most probable label, a sum of 1. The provider's SDK checks none of it. Extra fields pass, `confidence` is not read
 * (servers compute it differently), and `usage` is dropped where it is not a count.
 *
 * @returns the answers, or a reason `response_…`, `model_…`, `answer_…`, `label_…`, `choice_…` or `probability_…`
 */
export function decodeResponse(text: string, expected: Expected): Result<DecodedResponse, string> {
  const parsed = parseStrictJson(text);
  if (!parsed.ok) return fail(reasonOfFault(parsed.fault, text));
  try {
    return ok(decode(parsed.value, expected));
  } catch (error) {
    if (error instanceof Refused) return fail(error.message);
    throw error;
  }
}

function decode(value: JsonValue, expected: Expected): DecodedResponse {
  const response = fields(value, 'response_not_an_object');
  const model = modelOf(response, expected);
  const answers = fields(response['answers'], 'answers_missing');
  const asked = Object.keys(expected.questions);
  refuseIf(
    asked.some((id) => !Object.hasOwn(answers, id)),
    'answer_missing',
  );
  refuseIf(Object.keys(answers).length > asked.length, 'answer_unexpected');
  const { relation, increment } = expected.questions;
  return {
    model,
    answers: {
      choice: {
        relation: choiceOf(answers['relation'], Object.keys(relation.criteria)),
        increment: choiceOf(answers['increment'], Object.keys(increment.criteria)),
      },
      noul: {
        behavior_change: noulOf(answers['behavior_change']),
        serves_acceptance: noulOf(answers['serves_acceptance']),
        evidence_increment: noulOf(answers['evidence_increment']),
      },
    },
    usage: usageOf(response['usage']),
  };
}

function modelOf(response: Fields, { model, modelMatch }: Expected): string {
  const resolved = response['model'];
  if (typeof resolved !== 'string' || resolved.trim() === '') throw new Refused('model_missing');
  // `jev-1.1` must not stand for `jev-1.13.0`: a prefix ends where a part of the name ends.
  const matches =
    resolved === model ||
    (modelMatch === 'prefix' && resolved.startsWith(model) && !/^\w/.test(resolved.slice(model.length)));
  refuseIf(!matches || resolved.length > 120, 'model_mismatch');
  return resolved;
}

function choiceOf(value: JsonValue | undefined, labels: readonly string[]): ChoiceAnswer {
  const answer = fields(value, 'answer_malformed');
  refuseIf(answer['type'] !== 'choice', 'answer_type_differs');
  const given = fields(answer['probabilities'], 'probabilities_missing');
  refuseIf(
    labels.some((label) => !Object.hasOwn(given, label)),
    'label_missing',
  );
  refuseIf(Object.keys(given).length > labels.length, 'label_unexpected');
  const label = answer['choice'];
  if (typeof label !== 'string' || !labels.includes(label)) throw new Refused('choice_unknown_label');
  const probabilities = labels.map((each) => probability(given[each]));
  const sum = probabilities.reduce((total, each) => total + each, 0);
  refuseIf(Math.abs(sum - 1) > sumTolerance + slack, 'probability_sum_off');
  const chosen = probability(given[label]);
  refuseIf(chosen < Math.max(...probabilities) - roundingStep - slack, 'choice_not_most_probable');
  return { label, probability: chosen };
}

function noulOf(value: JsonValue | undefined): number {
  const answer = fields(value, 'answer_malformed');
  refuseIf(answer['type'] !== 'noul', 'answer_type_differs');
  return probability(answer['noul']);
}

function probability(value: JsonValue | undefined): number {
  if (typeof value !== 'number') throw new Refused('probability_not_a_number');
  refuseIf(value < 0 || value > 1, 'probability_out_of_range');
  return value;
}

function usageOf(value: JsonValue | undefined): DecodedResponse['usage'] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const counts = ['input_tokens', 'output_tokens'].filter((key) => isCount(value[key]));
  return counts.length === 0 ? null : Object.fromEntries(counts.map((key) => [key, value[key]]));
}

const isCount = (value: JsonValue | undefined): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 0;

function fields(value: JsonValue | undefined, reason: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Refused(reason);
  return value;
}

function refuseIf(wrong: boolean, reason: string): void {
  if (wrong) throw new Refused(reason);
}

function reasonOfFault({ fault, line, column }: JsonFault, text: string): string {
  if (fault !== 'syntax') return `response_${fault}`;
  const rest = text
    .split('\n')
    .slice(line - 1)
    .join('\n')
    .slice(column - 1);
  if (/^-?(?:NaN|Infinity)/.test(rest)) return 'response_not_finite';
  // The parser stops at the token it cannot finish: a document that breaks off has nothing closed after it.
  return isCut(text, rest) ? 'response_cut' : 'response_not_json';
}

const isCut = (text: string, rest: string): boolean =>
  /^\s*[{[]/.test(text) &&
  (rest.trim() === '' || /^(?:"(?:[^"\\]|\\.)*\\?|-|[.eE][+-]?|tr?u?|fa?l?s?|nu?l?)$/s.test(rest));

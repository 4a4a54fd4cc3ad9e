import type { CriterionBinding, EvidenceScope } from '../contract/receipt.ts';
import type { JsonObject } from '../json/json-object.ts';
import { exactObject, FieldFault, hex64At, integerAt, objectAt, oneOf, textAt } from './receipt-field.ts';

/** The identity that a receipt states beside its scope. */
interface ReceiptIdentity {
  readonly goal_id: string;
  readonly agent_id: string | null;
  readonly todo_id: string | null;
}

const MAX_FILES = 32;
const MAX_PATH_CHARACTERS = 1024;
const MAX_CRITERIA = 128;
const CANONICAL_KEYS = [
  'origin',
  'goal_id',
  'agent_id',
  'todo_id',
  'contract_digest',
  'contract_revision',
  'todo_semantic_digest',
  'criterion_ids',
  'criteria_sha256',
] as const;

/**
 * Reads the optional evidence scope of a receipt (contract §10). A canonical binding must name the goal, agent and
 * todo that the receipt names; where it does not, nobody can say what was judged, and the receipt is refused.
 */
export function evidenceScopeAt(value: unknown, identity: ReceiptIdentity): EvidenceScope | undefined {
  if (value === undefined || value === null) return undefined;
  const field = 'evidence_scope';
  const scope = exactObject(value, ['criterion_binding', 'coverage', 'files'], field);
  return {
    criterion_binding: bindingAt(scope['criterion_binding'], identity),
    coverage: oneOf(scope['coverage'], ['declared_file_net_change'] as const, `${field}.coverage`),
    files: distinctTexts(scope['files'], `${field}.files`, { min: 0, max: MAX_FILES }, pathAt),
  };
}

function bindingAt(value: unknown, identity: ReceiptIdentity): CriterionBinding {
  const field = 'evidence_scope.criterion_binding';
  const origin = oneOf(
    objectAt(value, field)['origin'],
    ['operator_study', 'goal_acceptance'] as const,
    `${field}.origin`,
  );
  if (origin === 'goal_acceptance')
    return canonicalBinding(exactObject(value, CANONICAL_KEYS, field), identity);
  const manual = exactObject(value, ['origin', 'criteria_sha256'], field);
  return { origin, criteria_sha256: hex64At(manual['criteria_sha256'], `${field}.criteria_sha256`) };
}

function canonicalBinding(raw: JsonObject, identity: ReceiptIdentity): CriterionBinding {
  const at = (key: string) => `evidence_scope.criterion_binding.${key}`;
  const same = (key: keyof ReceiptIdentity): string => {
    const text = textAt(raw[key], at(key));
    if (text !== identity[key]) throw new FieldFault('scope_mismatch', at(key));
    return text;
  };
  return {
    origin: 'goal_acceptance',
    goal_id: same('goal_id'),
    agent_id: same('agent_id'),
    todo_id: same('todo_id'),
    contract_digest: textAt(raw['contract_digest'], at('contract_digest')),
    contract_revision: integerAt(raw['contract_revision'], at('contract_revision'), 1),
    todo_semantic_digest: textAt(raw['todo_semantic_digest'], at('todo_semantic_digest')),
    criterion_ids: distinctTexts(
      raw['criterion_ids'],
      at('criterion_ids'),
      { min: 1, max: MAX_CRITERIA },
      textAt,
    ),
    criteria_sha256: hex64At(raw['criteria_sha256'], at('criteria_sha256')),
  };
}

function distinctTexts(
  value: unknown,
  field: string,
  size: { readonly min: number; readonly max: number },
  read: (item: unknown, field: string) => string,
): string[] {
  if (!Array.isArray(value)) throw new FieldFault('wrong_type', field);
  const texts = value.map((item, index) => read(item, `${field}.${index}`));
  if (texts.length < size.min || texts.length > size.max) throw new FieldFault('out_of_range', field);
  if (new Set(texts).size !== texts.length) throw new FieldFault('not_allowed', field);
  return texts;
}

/** A relative path in POSIX form that stays inside its workspace. */
function pathAt(value: unknown, field: string): string {
  if (typeof value !== 'string') throw new FieldFault('wrong_type', field);
  if (value === '' || [...value].length > MAX_PATH_CHARACTERS) throw new FieldFault('out_of_range', field);
  const leaves = value.startsWith('/') || value.includes('\\') || value.split('/').includes('..');
  if (leaves) throw new FieldFault('not_allowed', field);
  return value;
}

import type { FileTransition, StructuralOptions } from '../evaluator.ts';
import { callWithin } from './call-within.ts';
import type { CodeFiles } from './code-files.ts';
import { codeLanguageOf } from './code-language.ts';
import { abstain, type Judgment, prove } from './proof/proof.ts';
import { proveCode } from './proof/prove-code.ts';
import { decodeText, fixedDifference, plainText } from './source-text.ts';
import { loadGrammar } from './syntax/grammar.ts';
import { textFormatOf } from './text-format.ts';

/** Judges one changed file by itself. Never throws: a fault of the engine is an abstention too. */
export async function judgeFile(
  file: FileTransition,
  code: CodeFiles,
  options: Pick<StructuralOptions, 'constant_tests' | 'restated_evidence'>,
): Promise<Judgment> {
  try {
    const judgment = await judge(file, code);
    if (judgment.proven) return judgment;
    return (await weakerProof(file, code, options)) ?? judgment;
  } catch (error) {
    if (error instanceof RangeError && /call stack/.test(error.message))
      return abstain('over_budget', 'nested too deep');
    return abstain('engine_error', error instanceof Error ? error.message : String(error));
  }
}

/** What the level L4 proves where equality does not hold. */
async function weakerProof(
  file: FileTransition,
  code: CodeFiles,
  options: Pick<StructuralOptions, 'constant_tests' | 'restated_evidence'>,
): Promise<Judgment | null> {
  if (options.constant_tests && codeLanguageOf(file.path)) {
    const { proveConstantTests } = await import('./tests/constant-tests.ts');
    return proveConstantTests(file, code);
  }
  if (!options.restated_evidence || file.role !== 'evidence' || !file.before || !file.after) return null;
  const before = decodeText(file.before);
  const after = decodeText(file.after);
  if (before === null || after === null || Math.max(before.length, after.length) > MAX_EVIDENCE_LENGTH)
    return null;
  const { proveRestatedEvidence } = await import('./data/restated-evidence.ts');
  const judgment = proveRestatedEvidence(before, after);
  return judgment.proven ? judgment : null;
}

/** Folders of texts that tests compare, or feed to what they test: there no byte is free. */
const KEPT_AS_DATA =
  /(?:^|\/)(?:testdata|test-data|__fixtures__|fixtures|goldens?|__snapshots__|snapshots|cassettes)\/|\.(?:snap|golden|approved\.\w+)$/i;

const MAX_EVIDENCE_LENGTH = 1 << 20;

async function judge(file: FileTransition, code: CodeFiles): Promise<Judgment> {
  if (file.before === null) return abstain('added_file');
  if (file.after === null) return abstain('deleted_file');
  if (KEPT_AS_DATA.test(file.path)) return abstain('value_differs', 'tests read such a file byte by byte');
  const before = decodeText(file.before);
  const after = decodeText(file.after);
  if (before === null || after === null) return abstain('incomplete_coverage', 'not UTF-8 text');
  if (codeLanguageOf(file.path)) return judgeCode(file, before, after, code);
  const format = textFormatOf(file.path);
  if (!format) return abstain('no_grammar');
  const fixed = fixedDifference(before, after, format.habits);
  if (fixed) return abstain('value_differs', fixed);
  if (plainText(before, format.habits) === plainText(after, format.habits)) return prove('L0', 'whitespace');
  if (Math.max(before.length, after.length) > format.maxLength)
    return abstain('over_budget', `more than ${format.maxLength} characters`);
  const proof = await format.load();
  const budget = code.startBudget();
  const result = callWithin(code.patienceMs, () =>
    proof(plainText(before, format.habits), plainText(after, format.habits), file.path),
  );
  const judgment = await result?.value;
  return judgment === undefined || budget.expired() ? abstain('over_budget') : judgment;
}

async function judgeCode(
  file: FileTransition,
  before: string,
  after: string,
  code: CodeFiles,
): Promise<Judgment> {
  const language = codeLanguageOf(file.path);
  if (!language) return abstain('no_grammar');
  const fixed = fixedDifference(before, after, language.habits);
  if (fixed) return abstain('value_differs', fixed);
  if (plainText(before, language.habits) === plainText(after, language.habits))
    return prove('L0', 'whitespace');
  const budget = code.startBudget(await loadGrammar(language.grammar));
  const one = await code.version(file, 'before', budget);
  if ('proven' in one) return one;
  const other = await code.version(file, 'after', budget);
  if ('proven' in other) return other;
  const result = callWithin(code.patienceMs, () => proveCode(language, one, other, budget));
  return result === null || budget.expired() ? abstain('over_budget') : result.value;
}

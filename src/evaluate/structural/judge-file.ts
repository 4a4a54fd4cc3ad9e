import type { FileTransition } from '../evaluator.ts';
import type { CodeFiles } from './code-files.ts';
import { codeLanguageOf } from './code-language.ts';
import { proveJson } from './data/json.ts';
import { abstain, type Judgment, prove } from './proof/proof.ts';
import { proveCode } from './proof/prove-code.ts';
import { decodeText, fixedDifference, plainText } from './source-text.ts';
import { loadGrammar } from './syntax/grammar.ts';

/** Judges one changed file by itself. Never throws: a fault of the engine is an abstention too. */
export async function judgeFile(file: FileTransition, code: CodeFiles): Promise<Judgment> {
  try {
    return await judge(file, code);
  } catch (error) {
    return abstain('engine_error', error instanceof Error ? error.message : String(error));
  }
}

async function judge(file: FileTransition, code: CodeFiles): Promise<Judgment> {
  if (file.before === null) return abstain('added_file');
  if (file.after === null) return abstain('deleted_file');
  const before = decodeText(file.before);
  const after = decodeText(file.after);
  if (before === null || after === null) return abstain('incomplete_coverage', 'not UTF-8 text');
  const language = codeLanguageOf(file.path);
  if (language) {
    if (plainText(before, language.habits) === plainText(after, language.habits))
      return prove('L0', 'whitespace');
    const fixed = fixedDifference(before, after, language.habits);
    if (fixed) return abstain('value_differs', fixed);
    await loadGrammar(language.grammar);
    const budget = code.startBudget();
    const one = await code.version(file, 'before', budget);
    if ('proven' in one) return one;
    const other = await code.version(file, 'after', budget);
    if ('proven' in other) return other;
    const judgment = proveCode(language, one, other);
    return budget.expired() ? abstain('over_budget') : judgment;
  }
  if (/\.json$/i.test(file.path)) return proveJson(before, after);
  return abstain('no_grammar');
}

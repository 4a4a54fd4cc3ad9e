import { processClock, startBudget } from './budget.ts';
import { codeLanguageOf } from './code-language.ts';
import { matchForms } from './proof/match-forms.ts';
import { loadGrammar } from './syntax/grammar.ts';
import { readForm } from './syntax/read-form.ts';

const SCRIPT_BUDGET_MS = 100;

/** Whether two scripts of a page are equal apart from comments and format; every name stays, since the page sees it. */
export async function isSameScript(before: string, after: string): Promise<boolean> {
  const language = codeLanguageOf('script.js');
  if (!language) return false;
  const grammar = await loadGrammar(language.grammar);
  const budget = startBudget(SCRIPT_BUDGET_MS, processClock);
  const forms = [before, after].map((text) => {
    const result = readForm(grammar, language.shaping, text, budget);
    return result.ok ? { root: result.form.root, names: language.bind(result.form.root, text) } : null;
  });
  const [one, other] = forms;
  if (!one || !other) return false;
  const match = matchForms(one, other);
  return 'matched' in match && match.renamed.length === 0 && match.foreign.length === 0;
}

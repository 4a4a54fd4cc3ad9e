import { javascriptShaping, typescriptShaping } from './forms/ecmascript-form.ts';
import { pythonShaping } from './forms/python-form.ts';
import { bindEcmascript } from './names/ecmascript-names.ts';
import { bindPython } from './names/python-names.ts';
import type { NameTable } from './names/scopes.ts';
import { ecmascriptOrder } from './order/ecmascript-order.ts';
import { pythonOrder } from './order/python-order.ts';
import type { OrderRules } from './order/sort-movable.ts';
import type { NamingRules } from './proof/rename-policy.ts';
import type { TextHabits } from './source-text.ts';
import type { GrammarName } from './syntax/grammar.ts';
import type { Shaping } from './syntax/read-form.ts';
import type { SyntaxNode } from './syntax/syntax-node.ts';

/** Everything that is particular to one programming language. */
export interface CodeLanguage {
  readonly name: string;
  readonly grammar: GrammarName;
  readonly shaping: Shaping;
  bind(root: SyntaxNode, text: string): NameTable;
  readonly order: OrderRules;
  readonly naming: NamingRules;
  readonly habits: TextHabits;
  /** Which source the language does not accept although its grammar here does. */
  refuses?(text: string): string | null;
}

const FREE_TEXT: TextHabits = { lineEnds: 'free', markIsFree: true };

const python: CodeLanguage = {
  name: 'Python',
  grammar: 'python',
  shaping: pythonShaping,
  bind: bindPython,
  order: pythonOrder,
  naming: { keywordArguments: true, modulesRename: true },
  habits: FREE_TEXT,
  refuses: mixedIndentation,
};

const ecmascript = {
  bind: bindEcmascript,
  order: ecmascriptOrder,
  naming: { keywordArguments: false, modulesRename: true },
  habits: FREE_TEXT,
};
const javascript: CodeLanguage = {
  name: 'JavaScript',
  grammar: 'javascript',
  shaping: javascriptShaping,
  ...ecmascript,
};
const typescript: CodeLanguage = {
  name: 'TypeScript',
  grammar: 'typescript',
  shaping: typescriptShaping,
  ...ecmascript,
};
const tsx: CodeLanguage = { name: 'TSX', grammar: 'tsx', shaping: typescriptShaping, ...ecmascript };

/** Languages by file extension. */
const codeLanguages: Readonly<Record<string, CodeLanguage>> = {
  py: python,
  pyi: python,
  js: javascript,
  mjs: javascript,
  cjs: javascript,
  jsx: javascript,
  ts: typescript,
  mts: typescript,
  cts: typescript,
  tsx,
};

/** The language of a file of code, by its name; undefined when there is no grammar for it. */
export function codeLanguageOf(path: string): CodeLanguage | undefined {
  return codeLanguages[path.slice(path.lastIndexOf('.') + 1).toLowerCase()];
}

/** The grammar hides Python's TabError, so indentation has to be all blanks or all tabs. */
function mixedIndentation(text: string): string | null {
  const blanks = /^ +\S/m.test(text);
  return /^ *\t/m.test(text) && (blanks || /^(?: +\t|\t+ )/m.test(text))
    ? 'tabs and blanks both indent'
    : null;
}

import { bashShaping } from './forms/bash-form.ts';
import { cShaping } from './forms/c-form.ts';
import { csharpShaping } from './forms/csharp-form.ts';
import { javascriptShaping, typescriptShaping } from './forms/ecmascript-form.ts';
import { goShaping } from './forms/go-form.ts';
import { javaShaping } from './forms/java-form.ts';
import { phpShaping } from './forms/php-form.ts';
import { pythonShaping } from './forms/python-form.ts';
import { rubyShaping } from './forms/ruby-form.ts';
import { rustShaping } from './forms/rust-form.ts';
import { bindBash } from './names/bash-names.ts';
import { bindC } from './names/c-names.ts';
import { bindCsharp } from './names/csharp-names.ts';
import { bindEcmascript } from './names/ecmascript-names.ts';
import { bindGo } from './names/go-names.ts';
import { bindJava } from './names/java-names.ts';
import { bindPhp } from './names/php-names.ts';
import { bindPython } from './names/python-names.ts';
import { bindRuby } from './names/ruby-names.ts';
import { bindRust } from './names/rust-names.ts';
import type { NameTable } from './names/scopes.ts';
import {
  bashOrder,
  csharpOrder,
  goOrder,
  javaOrder,
  noOrder,
  phpOrder,
  rustOrder,
} from './order/block-order.ts';
import { ecmascriptOrder } from './order/ecmascript-order.ts';
import { pythonOrder } from './order/python-order.ts';
import type { OrderRules } from './order/sort-movable.ts';
import type { NamingRules } from './proof/rename-policy.ts';
import type { TextHabits } from './source-text.ts';
import type { Shaping } from './syntax/form.ts';
import type { GrammarName } from './syntax/grammar.ts';
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

const OWN_NAMES: NamingRules = { keywordArguments: false, modulesRename: false };

const go: CodeLanguage = {
  name: 'Go',
  grammar: 'go',
  shaping: goShaping,
  bind: bindGo,
  order: goOrder,
  naming: OWN_NAMES,
  habits: FREE_TEXT,
};

const rust: CodeLanguage = {
  name: 'Rust',
  grammar: 'rust',
  shaping: rustShaping,
  bind: bindRust,
  order: rustOrder,
  naming: OWN_NAMES,
  habits: FREE_TEXT,
};

const java: CodeLanguage = {
  name: 'Java',
  grammar: 'java',
  shaping: javaShaping,
  bind: bindJava,
  order: javaOrder,
  naming: OWN_NAMES,
  habits: { lineEnds: 'free', markIsFree: false },
};

/** C is read by the grammar of C++, which takes nearly all of it; what it does not take abstains. */
const c: CodeLanguage = {
  name: 'C and C++',
  grammar: 'cpp',
  shaping: cShaping,
  bind: bindC,
  order: noOrder,
  naming: OWN_NAMES,
  habits: { lineEnds: 'single_line', markIsFree: true },
};

const csharp: CodeLanguage = {
  name: 'C#',
  grammar: 'c-sharp',
  shaping: csharpShaping,
  bind: bindCsharp,
  order: csharpOrder,
  naming: { keywordArguments: true, modulesRename: false },
  habits: { lineEnds: 'single_line', markIsFree: true },
};

const php: CodeLanguage = {
  name: 'PHP',
  grammar: 'php',
  shaping: phpShaping,
  bind: bindPhp,
  order: phpOrder,
  naming: { keywordArguments: true, modulesRename: false },
  habits: { lineEnds: 'single_line', markIsFree: false },
};

const ruby: CodeLanguage = {
  name: 'Ruby',
  grammar: 'ruby',
  shaping: rubyShaping,
  bind: bindRuby,
  order: noOrder,
  naming: OWN_NAMES,
  habits: { lineEnds: 'single_line', markIsFree: false },
};

const bash: CodeLanguage = {
  name: 'Bash',
  grammar: 'bash',
  shaping: bashShaping,
  bind: bindBash,
  order: bashOrder,
  naming: OWN_NAMES,
  habits: { lineEnds: 'fixed', markIsFree: false },
};

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
  go,
  rs: rust,
  java,
  c,
  h: c,
  cc: c,
  cpp: c,
  cxx: c,
  hh: c,
  hpp: c,
  hxx: c,
  cs: csharp,
  php,
  rb: ruby,
  rake: ruby,
  gemspec: ruby,
  sh: bash,
  bash,
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

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Language, Parser, Tree } from '@vscode/tree-sitter-wasm';

const require = createRequire(import.meta.url);

/** Names of grammars in the package; each is loaded when the first file needs it. */
export type GrammarName =
  | 'bash'
  | 'c-sharp'
  | 'cpp'
  | 'go'
  | 'java'
  | 'javascript'
  | 'php'
  | 'python'
  | 'ruby'
  | 'rust'
  | 'tsx'
  | 'typescript';

/** A loaded grammar with the tables that spare a call into WebAssembly for each node. */
export interface Grammar {
  readonly name: GrammarName;
  readonly kinds: readonly string[];
  readonly fields: readonly (string | null)[];
  /** Parses, or gives null when `expired` becomes true first. The caller deletes the tree. */
  parse(text: string, expired: () => boolean): Tree | null;
  /** Characters that were parsed so far in this process. */
  parsedLength(): number;
}

interface Engine {
  readonly parser: Parser;
  load(grammar: GrammarName): Promise<Language>;
}

let engine: Promise<Engine> | undefined;
const grammars = new Map<GrammarName, Promise<Grammar>>();

/** The grammar, loaded once in a process. */
export function loadGrammar(name: GrammarName): Promise<Grammar> {
  const known = grammars.get(name);
  if (known) return known;
  const loading = openGrammar(name);
  grammars.set(name, loading);
  return loading;
}

async function openGrammar(name: GrammarName): Promise<Grammar> {
  engine ??= openEngine();
  const { parser, load } = await engine;
  const language = await load(name);
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
  let length = 0;
  return {
    name,
    parsedLength: () => length,
    kinds: numbers(language.nodeTypeCount).map((id) => language.nodeTypeForId(id) ?? 'ERROR'),
    fields: numbers(language.fieldCount + 1).map((id) => language.fieldNameForId(id)),
    parse(text, expired) {
      length += text.length;
      parser.setLanguage(language);
      parser.reset();
      // The engine stops as soon as the callback returns true; its type declares no result.
      return parser.parse(text, null, { progressCallback: expired });
    },
  };
}

async function openEngine(): Promise<Engine> {
  const entry = require.resolve('@vscode/tree-sitter-wasm');
  const api = require(entry) as typeof import('@vscode/tree-sitter-wasm');
  await api.Parser.init();
  const folder = dirname(entry);
  return {
    parser: new api.Parser(),
    load: (grammar) => api.Language.load(readFileSync(join(folder, `tree-sitter-${grammar}.wasm`))),
  };
}

import { readFileSync } from 'node:fs';

/** A source of some size in one language. */
export interface Source {
  readonly language: string;
  readonly path: string;
  readonly text: string;
  /** Lines in which something may be a comment or documentation. */
  readonly comment: RegExp;
}

const folder = new URL('../../../fixtures/structural/sources/', import.meta.url);
const root = new URL('../../../', import.meta.url);

const fixture = (language: string, path: string, comment: RegExp): Source => ({
  language,
  path,
  text: readFileSync(new URL(`${path}.txt`, folder), 'utf8'),
  comment,
});

const own = (path: string): Source => ({
  language: 'TypeScript',
  path,
  text: readFileSync(new URL(path, root), 'utf8'),
  comment: /\/\/|\/\*|^\s*\*/,
});

/** Programs of other languages, written to be mutated. */
export const programs: readonly Source[] = [
  fixture('Python', 'schedule.py', /#|"""/),
  fixture('Go', 'graph.go', /\/\//),
  fixture('Rust', 'tokens.rs', /\/\//),
  fixture('Java', 'Inventory.java', /\/\*|^\s*\*/),
  fixture('C', 'table.c', /\/\*/),
  fixture('C#', 'Mail.cs', /\/\//),
  fixture('PHP', 'Router.php', /\/\*/),
  fixture('Ruby', 'money.rb', /#(?!\{)/),
];

/** Files of this project. */
export const ownSources: readonly Source[] = [
  own('src/json/strict-json.ts'),
  own('src/evaluate/structural/order/sort-movable.ts'),
  own('src/evaluate/structural/text/html-tokens.ts'),
  own('src/evaluate/structural/names/java-names.ts'),
  own('src/evaluate/structural/proof/rename-policy.ts'),
];

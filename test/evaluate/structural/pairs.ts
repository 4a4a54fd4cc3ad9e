import { readdirSync, readFileSync } from 'node:fs';

/** One pair of versions of a file, and what the evaluator has to make of it. */
export interface Pair {
  readonly kind: 'cosmetic' | 'real' | 'either';
  readonly title: string;
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

const folder = new URL('../../../fixtures/structural/pairs/', import.meta.url);

/**
 * All pairs in `fixtures/structural/pairs`. A file `<language>.<extension>.txt` holds sections
 * `@@ cosmetic: title`, the text before, `@@ becomes`, the text after.
 */
export function readPairs(): readonly Pair[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = `example.${name.split('.').slice(1, -1).join('.')}`;
      const sections = readFileSync(new URL(name, folder), 'utf8')
        .split(/^@@ (?=cosmetic|real|either)/m)
        .slice(1);
      return sections.map((section) => {
        const [head = '', ...rest] = section.split('\n');
        const [before = '', after = ''] = rest.join('\n').split(/^@@ becomes\n/m);
        const [kind, title] = head.split(/: (.*)/) as [Pair['kind'], string];
        return { kind, title: `${name.split('.')[0]}: ${title}`, path, before, after };
      });
    });
}

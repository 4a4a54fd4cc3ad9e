// Writes docs/decisions/README.md from the headings of the decisions.
// Usage: npm run docs
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('./decisions/', import.meta.url);

/** The whole page as text. */
export function renderDecisionIndex() {
  const rows = readdirSync(folder)
    .filter((name) => /^\d{4}-.*\.md$/.test(name))
    .sort()
    .map((name) => `| [${name.slice(0, -3)}](${name}) | ${titleOf(name)} |`);
  return [
    '# Decisions',
    '',
    'Why things are as they are: context, decision, consequences, a page at most. A decision is not edited; a later one replaces it.',
    '',
    '| page | in one line |',
    '| --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

const titleOf = (name) =>
  readFileSync(new URL(name, folder), 'utf8')
    .split('\n')[0]
    .replace(/^# (?:\d{4}: )?/, '');

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(new URL('README.md', folder), renderDecisionIndex());

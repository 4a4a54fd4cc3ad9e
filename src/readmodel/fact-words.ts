import type { Fact } from '../contract/judged-event.ts';

/** One finding as a line for people. Renames are spelt out where the detail does not already name all of them. */
export function factWords({ fact, path, level, detail = '', renames = {} }: Fact): string {
  const isComplete = detail.includes('→') && !detail.endsWith('…');
  const names = isComplete ? [] : Object.entries(renames).map(([from, to]) => `${from} → ${to}`);
  const what = [level, fact.replaceAll('_', ' ')].filter(Boolean).join(' ');
  return [
    path === undefined ? '' : `${path}: `,
    what,
    detail === '' ? '' : `: ${detail}`,
    names.length === 0 ? '' : ` (${names.join(', ')})`,
  ].join('');
}

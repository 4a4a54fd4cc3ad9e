import { describe, expect, it } from 'vitest';
import { judge } from './judge.ts';

const changes = {
  comment: { 'a.py': ['x = 1\n', '# one\nx = 1\n'] },
  docstring: { 'a.py': ['def f():\n    return 1\n', 'def f():\n    """One."""\n    return 1\n'] },
  format: { 'a.ts': ["f('a');\n", 'f("a")\n'] },
  local: {
    'a.py': ['def f(n):\n    total = n\n    return total\n', 'def f(n):\n    acc = n\n    return acc\n'],
  },
  exported: { 'a.py': ['def load():\n    return 1\n', 'def read_all():\n    return 1\n'] },
  functions: {
    'a.py': [
      'def a():\n    return 1\n\n\ndef b():\n    return 2\n',
      'def b():\n    return 2\n\n\ndef a():\n    return 1\n',
    ],
  },
  order: { 'a.json': ['{"a": 1, "b": 2}', '{"b": 2, "a": 1}'] },
} as const;

async function guardOf(kind: keyof typeof changes, goal: string): Promise<string> {
  const basis = { objective: goal, acceptance: ['It works.'] };
  const { status, facts } = await judge(changes[kind], { basis });
  return status === 'completed' ? 'flagged' : (facts[0]?.fact ?? '');
}

describe('the goal guard', () => {
  it.each([
    ['comment', 'Explain the retry in comments.'],
    ['comment', 'Fix the typos in the header.'],
    ['comment', 'Every module carries a licence header.'],
    ['docstring', 'Each public function has a docstring.'],
    ['docstring', 'The API is documented.'],
    ['docstring', 'Document how a file is loaded.'],
    ['format', 'Format the code with prettier.'],
    ['format', 'All files use double quotes.'],
    ['format', 'The linter passes.'],
    ['format', 'Make the code readable.'],
    ['format', 'Refactor the loader.'],
    ['local', 'Rename the variable total.'],
    ['local', 'Use meaningful names.'],
    ['exported', 'Rename load.'],
    ['exported', 'Keep the old name as an alias.'],
    ['order', 'Sort the keys.'],
    ['order', 'b comes before a.'],
    ['functions', 'Sort the functions by name.'],
    ['functions', 'Methods stand in alphabetical order.'],
    ['functions', 'Move the helpers to the end.'],
  ] as const)('lets a %s change pass that the goal asks for: %s', async (kind, goal) => {
    expect(await guardOf(kind, goal)).toMatch(/^guard_/);
  });

  it.each([
    ['exported', 'read_all() returns every line.'],
    ['exported', 'Callers use read_all.'],
  ] as const)('lets a rename to a name pass that the goal gives: %s', async (kind, goal) => {
    expect(await guardOf(kind, goal)).toBe('guard_named');
  });

  it.each([
    ['comment', 'Clean up temporary files at the end.'],
    ['comment', 'Translate the error messages.'],
    ['comment', 'Show a readable message when the server is gone.'],
    ['comment', 'The order of the rows stays.'],
    ['comment', 'Documents are indexed once.'],
    ['format', 'Amounts are formatted with two decimals.'],
    ['format', 'Remove the trailing slash of an address.'],
    ['format', 'The dialog has three tabs.'],
    ['format', 'Sort words of equal frequency.'],
    ['local', 'Renaming a folder keeps its content.'],
    ['local', 'Each order has an identifier.'],
    ['local', 'The acc is shown.'],
    ['exported', 'Reading a file twice gives the same text.'],
    ['exported', 'load() is called once.'],
    ['order', 'The title is shown in bold.'],
    ['functions', 'Ship an order once.'],
    ['functions', 'Rows are sorted by size.'],
  ] as const)('does not mistake what the program works on for its text (%s): %s', async (kind, goal) => {
    expect(await guardOf(kind, goal)).toBe('flagged');
  });

  it('ignores what the goal rules out', async () => {
    const basis = { objective: 'Retry.', acceptance: ['Three attempts.'], non_goals: ['No new comments.'] };

    expect((await judge(changes.comment, { basis })).status).toBe('completed');
  });
});

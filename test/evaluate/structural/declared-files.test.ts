import { describe, expect, it } from 'vitest';
import { type Change, judge, verdictOf } from './judge.ts';

const same = (text: string): Change => [text, text];
const money = 'def load(path):\n    """Load."""\n    return open(path).read()\n';
const rename = (text: string): Change => [text, text.replaceAll('load', 'read_all')];

describe('a rename over the declared files', () => {
  it('is proven when every file follows', async () => {
    const files = {
      'app/money.py': rename(money),
      'app/main.py': rename('from app.money import load\n\nprint(load("a"))\n'),
      'tests/test_money.py': rename(
        'from app import money\n\n\ndef test_it():\n    assert money.load("a")\n',
      ),
    };

    const { status, facts } = await judge(files);

    expect(status).toBe('completed');
    expect(facts.map(({ level }) => level)).toEqual(['L3', 'L3', 'L3']);
    expect(facts[0]?.detail).toContain('rename load → read_all');
  });

  it.each([
    ['a file that still uses the old name', { 'main.py': same('from money import load\n\nload("a")\n') }],
    [
      'a module of it that still knows the old name',
      { 'app.py': same('from . import money\n\nmoney.load("a")\n') },
    ],
    ['a file that imports every name', { 'main.py': same('from money import *\n\nload("a")\n') }],
    ['a text that spells the old name', { 'main.py': same('import x\n\nx.run("money:load")\n') }],
    ['a setting that names it', { 'pyproject.toml': same('[project.scripts]\na = "money:load"\n') }],
    ['a page that names it', { 'a.html': same('<p onclick="load()">a</p>\n') }],
    ['a file that reads the names of functions', { 'main.py': same('print([f.__name__ for f in ALL])\n') }],
  ] as const)('is not proven beside %s', async (_what, files) => {
    expect(await verdictOf({ 'money.py': rename(money), ...files })).toBe('rename_unsafe');
  });

  it('is not proven when an import follows what the other file does not do', async () => {
    const files = { 'money.py': same(money), 'main.py': rename('from money import load\n\nload("a")\n') };

    expect(await verdictOf(files)).toBe('rename_unsafe');
  });

  it.each([
    'shop/settings.py',
    'docs/conf.py',
    'conftest.py',
    'shop/migrations/0001_start.py',
    'shop/urls.py',
  ])('is not proven in a file that a framework looks names up in: %s', async (path) => {
    expect(await verdictOf({ [path]: rename(money) })).toBe('rename_unsafe');
  });

  it.each(['src/button.stories.ts', 'vite.config.ts', 'app/page.tsx', 'src/routes/users.ts'])(
    'is not proven in a file whose exports a framework looks up: %s',
    async (path) => {
      const text = 'export const load = 1;\n';

      expect(await verdictOf({ [path]: rename(text) })).toBe('rename_unsafe');
    },
  );
});

describe('a parameter that gets another name', () => {
  const change: Change = [money, money.replaceAll('path', 'place')];

  it.each([
    ['nobody passes it by name', same('from money import load\n\nload("a")\n'), 'L3'],
    ['a call passes it by name', same('from money import load\n\nload(path="a")\n'), 'rename_unsafe'],
    ['a call passes a mapping', same('from money import load\n\nload(**options)\n'), 'rename_unsafe'],
    [
      'a route names it',
      same('from money import load\n\nadd_route("/<path:path>", load)\n'),
      'rename_unsafe',
    ],
    [
      'signatures are read',
      same('import inspect\n\n\ndef call(f):\n    return inspect.signature(f)\n'),
      'rename_unsafe',
    ],
  ])('is judged by what the other files do: %s', async (_what, main, expected) => {
    expect(await verdictOf({ 'money.py': change, 'main.py': main })).toBe(expected);
  });
});

describe('a documentation string that changes', () => {
  const change: Change = [money, money.replace('Load.', 'Load a file.')];

  it.each([
    ['prints it', 'import money\n\nprint(money.load.__doc__)\n', 'value_differs'],
    ['makes a command of it', 'import typer\nfrom money import load\n\ntyper.run(load)\n', 'value_differs'],
    [
      'hands it to a model',
      'from money import load\nfrom helpers import ask\n\nask("hi", tools=[load])\n',
      'value_differs',
    ],
    ['calls the function', 'from money import load\n\nload("a")\n', 'L1'],
    ['reads documentation of something else', 'import json\n\nprint(json.__doc__)\n', 'L1'],
  ])('is judged by what a declared file does that %s', async (_what, main, expected) => {
    expect(await verdictOf({ 'money.py': change, 'main.py': same(main) })).toBe(expected);
  });
});

describe('tests of constants', () => {
  const limits = { 'limits.py': same('LIMIT = 3\n') };
  const real = 'def test_limit():\n    assert run() == 1\n';

  it('are proven where they are added', async () => {
    const after = 'import limits\n\n\ndef test_limit():\n    assert limits.LIMIT == 3\n';

    expect(await verdictOf({ ...limits, 'test_limits.py': [null, after] })).toBe('L4');
  });

  it('are not proven where one takes the place of another test', async () => {
    const after = `${real}\n\nimport limits\n\n\ndef test_limit():\n    assert limits.LIMIT == 3\n`;

    expect(await verdictOf({ ...limits, 'test_limits.py': [real, after] })).not.toBe('L4');
  });

  it('are not proven where the constant changes with them', async () => {
    const after = 'import limits\n\n\ndef test_limit():\n    assert limits.LIMIT == 4\n';
    const files = {
      'limits.py': ['LIMIT = 3\n', 'LIMIT = 4\n'] as const,
      'test_limits.py': [null, after] as const,
    };

    expect((await judge(files)).status).toBe('abstained');
  });
});

describe('a file whose bytes count', () => {
  it.each([
    ['a text that tests compare', 'testdata/a.go', 'package a\n', '// one\npackage a\n'],
    ['a recorded answer', 'test/__snapshots__/a.html', '<p>a</p>', '<p>a</p>\n'],
    [
      'the line of an interpreter',
      'a.py',
      '#!/usr/bin/env python3\nx = 1\n',
      '#!/usr/bin/env python3\r\nx = 1\r\n',
    ],
    [
      'a mark before that line',
      'a.py',
      '#!/usr/bin/env python3\nx = 1\n',
      '\uFEFF#!/usr/bin/env python3\nx = 1\n',
    ],
  ])('is not proven: %s', async (_what, path, before, after) => {
    expect(await verdictOf({ [path]: [before, after] })).toBe('value_differs');
  });
});

it('knows no format for a list of words', async () => {
  expect(await verdictOf({ 'src/words.txt': ['a\nb\n', 'a \nb\n'] })).toBe('no_grammar');
});

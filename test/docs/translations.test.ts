import { describe, expect, it } from 'vitest';
import { parsePage, readPage, withoutComment } from '../support/markdown.ts';

const pairs = ['README', 'docs/operator-guide', 'docs/boundaries', 'docs/limits', 'docs/upgrade'].map(
  (name) => [`${name}.md`, `${name}.zh-CN.md`] as const,
);

const shapeOf = (page: string) => {
  const { headings, tables, blocks } = parsePage(readPage(page));
  return {
    headings: headings.map(({ level }) => level),
    tables: tables.map(({ rows }) => rows.map((cells) => cells.length)),
    blocks: blocks.map(({ language, text }) => ({
      language,
      lines: text.split('\n').map(withoutComment),
    })),
  };
};

describe.each(pairs)('%s and %s', (english, chinese) => {
  it('link each other in their first line', () => {
    const name = (page: string) => page.split('/').at(-1);

    expect(readPage(english).split('\n')[0]).toBe(`[简体中文](${name(chinese)})`);
    expect(readPage(chinese).split('\n')[0]).toBe(`[English](${name(english)})`);
  });

  it('have the same headings, tables, code and commands', () => {
    expect(shapeOf(chinese)).toEqual(shapeOf(english));
  });

  it('have as many items in their lists', () => {
    const items = (page: string) => readPage(page).match(/^\s*(?:-|\d+\.) /gm)?.length ?? 0;

    expect(items(chinese)).toBe(items(english));
  });

  it('name the same code words in each row of a table', () => {
    const codes = (page: string) =>
      parsePage(readPage(page)).tables.map(({ rows }) =>
        rows.map((cells) => (cells.join(' ').match(/`[^`]+`/g) ?? []).sort()),
      );

    expect(codes(chinese)).toEqual(codes(english));
  });
});

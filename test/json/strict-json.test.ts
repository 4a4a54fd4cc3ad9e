import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStrictJson } from '../../src/json/strict-json.ts';

describe('parseStrictJson', () => {
  it('reads what JSON.parse reads, however it is laid out', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t'), (text, indent) => {
        const value = JSON.parse(text);

        expect(parseStrictJson(JSON.stringify(value, null, indent))).toEqual({ ok: true, value });
      }),
    );
  });

  it('refuses whatever JSON.parse refuses', () => {
    const accepts = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(fc.stringMatching(/^[[\]{}":,0-9.eE+\- \n\\utfalsn]{0,24}$/), (text) => {
        if (!accepts(text)) expect(parseStrictJson(text).ok).toBe(false);
      }),
    );
  });

  it.each([
    [
      'a duplicate key, with its path and place',
      '{"a":\n {"b": 1, "b": 2}}',
      { fault: 'duplicate_key', line: 2, column: 11, key: 'a.b' },
    ],
    ['text after the document', '{} x', { fault: 'trailing_text', line: 1, column: 4 }],
    ['a number that overflows', '[1e999]', { fault: 'not_finite', line: 1, column: 2 }],
    ['NaN', '{"a": NaN}', { fault: 'syntax', line: 1, column: 7 }],
    ['a byte order mark', '\ufeff{}', { fault: 'syntax', line: 1, column: 1 }],
    ['an empty text', '', { fault: 'syntax', line: 1, column: 1 }],
    ['nesting without end', '['.repeat(5_000), { fault: 'too_deep', line: 1, column: 202 }],
  ])('refuses %s', (_, text, fault) => {
    expect(parseStrictJson(text)).toEqual({ ok: false, fault });
  });

  it('keeps a key named __proto__ as an ordinary key', () => {
    const parsed = parseStrictJson('{"__proto__": 1}');

    expect(parsed.ok && Object.keys(parsed.value as object)).toEqual(['__proto__']);
  });
});

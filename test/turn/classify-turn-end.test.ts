import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyTurnEnd } from '../../src/turn/classify-turn-end.ts';

const assistant = (stopReason?: unknown, errorMessage?: unknown) => ({
  type: 'message',
  message: { role: 'assistant', content: [], stopReason, errorMessage },
});
const user = { type: 'message', message: { role: 'user', content: 'go on' } };
const compaction = { type: 'compaction', summary: 'short' };
const classify = (...entries: unknown[]) => classifyTurnEnd({ entries });

const anyEntry = fc.oneof(
  fc
    .constantFrom('stop', 'aborted', 'error', 'length', 'toolUse', undefined)
    .map((reason) => assistant(reason, 'why')),
  fc.constantFrom<unknown>(user, compaction, { type: 'model_change' }, null, 'text', 7, [], {}),
);

describe('classifyTurnEnd', () => {
  it.each([
    ['a stop', [assistant('stop')], { end: 'stop' }],
    ['an abort before a compaction', [assistant('aborted'), compaction], { end: 'aborted' }],
    [
      'a compaction after an error',
      [assistant('error', 'late'), compaction],
      { end: 'compaction', error_message: 'late' },
    ],
    ['an error that is the last word', [assistant('error', 'x'), user], { end: 'error', error_message: 'x' }],
    ['an error without a message', [assistant('error')], { end: 'error', error_message: 'unknown error' }],
    ['an error with an empty message', [assistant('error', '')], { end: 'error', error_message: '' }],
    ['a compaction alone', [compaction], { end: 'compaction' }],
    ['a user message alone', [user], { end: 'stop' }],
    ['nothing', [], { end: 'stop' }],
    [
      'entries of no known shape',
      [null, 3, { message: { role: 'assistant', stopReason: 'error' } }],
      { end: 'stop' },
    ],
  ])('reads %s', (_name, entries, expected) => {
    expect(classify(...entries)).toEqual(expected);
  });

  it.each([[null], [{}], [{ entries: 'x' }], [{ entries: { 0: user } }]])('gives no end for %j', (input) => {
    expect(classifyTurnEnd(input)).toEqual({ ok: false, reason: 'invalid_entries' });
  });

  it('depends on nothing before the last assistant message', () => {
    fc.assert(
      fc.property(fc.array(anyEntry), fc.array(anyEntry), (before, after) => {
        const last = assistant('error', 'e');

        expect(classify(...before, last, ...after)).toEqual(classify(last, ...after));
      }),
    );
  });

  it('always lets an abort win, and a compaction over an error or a stop', () => {
    fc.assert(
      fc.property(fc.array(anyEntry), fc.constantFrom('stop', 'error', 'length'), (before, reason) => {
        expect(classify(...before, assistant('aborted'), compaction)).toEqual({ end: 'aborted' });
        expect(classify(...before, assistant(reason), user, compaction)).toMatchObject({ end: 'compaction' });
      }),
    );
  });
});

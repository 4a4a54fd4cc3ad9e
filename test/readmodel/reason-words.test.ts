import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { captureFailureReasons } from '../../src/contract/event.ts';
import { receiptReasons } from '../../src/contract/receipt-reasons.ts';
import { reasonWords } from '../../src/readmodel/reason-words.ts';

const source = new URL('../../src/', import.meta.url).pathname;
const rooms = ['compare', 'drain', 'evaluate', 'fleet', 'receipts'];

const texts = rooms.flatMap((room) =>
  readdirSync(join(source, room), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(source, room, file), 'utf8')),
);

/** Reasons that stand behind their status in a call, or are named as a reason. */
const given = new Set(
  texts.flatMap((text) =>
    [...text.matchAll(/'(?:not_evaluated|stale|failed)', '([a-z_]+)'/g)].map(([, reason]) => reason ?? ''),
  ),
);

describe('reasons of receipts', () => {
  it.each([...given])('has words for %s, which the code gives', (reason) => {
    expect(receiptReasons).toHaveProperty(reason);
  });

  it.each(Object.keys(receiptReasons))('lists %s because the code gives it', (reason) => {
    expect(texts.some((text) => text.includes(`'${reason}'`))).toBe(true);
  });

  it.each(captureFailureReasons)('has words for a refresh that failed with %s', (reason) => {
    expect(reasonWords(reason)).not.toBe(reason.replaceAll('_', ' '));
  });

  it('spells out what it does not know', () => {
    expect(reasonWords('provider_http_418')).toBe('provider http 418');
  });
});

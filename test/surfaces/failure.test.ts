import { describe, expect, it } from 'vitest';
import { failureReasons } from '../../src/contract/failure.ts';
import { describeFailure, failureDocument } from '../../src/surfaces/cli/render/failure.ts';

describe('the wording of failures', () => {
  it.each(failureReasons)('says of %s what happened and what to do next', (reason) => {
    const { message, hint } = describeFailure({
      reason,
      file: 'some-file',
      field: 'some-field',
      detail: 'some detail',
    });

    expect(message.length).toBeGreaterThan(10);
    expect(hint.length).toBeGreaterThan(10);
    expect(`${message} ${hint}`).not.toMatch(/undefined|null|\[object/);
  });

  it.each(failureReasons)('has no hole when %s comes alone', (reason) => {
    const { message, hint } = describeFailure({ reason });

    expect(`${message} ${hint}`).not.toMatch(/undefined|null/);
  });

  it('gives machines reason, file, field and hint', () => {
    expect(failureDocument({ reason: 'config_invalid', file: 'config.json', field: 'mode' })).toMatchObject({
      ok: false,
      error: { reason: 'config_invalid', file: 'config.json', field: 'mode', hint: expect.any(String) },
    });
  });
});

import { describe, expect, it } from 'vitest';
import { configSchema } from '../../src/contract/config.ts';
import { configKeys, scopeCeilings, scopeDefaults } from '../../src/contract/config-keys.ts';
import { parseShape } from '../../src/contract/parse.ts';

const source = { file: 'config.json', reason: 'config_invalid' } as const;
const parse = (extra: object) =>
  parseShape(configSchema, { schema_version: 'drift_config_v1', ...extra }, source);

describe('the configuration', () => {
  it('has exactly the keys that the hot path knows', () => {
    expect(Object.keys(configSchema.shape).sort()).toEqual([...configKeys].sort());
  });

  it('has the scope defaults and ceilings that the hot path applies', () => {
    const parsed = parse({});

    expect(parsed.ok && parsed.value.scope).toEqual(scopeDefaults);
    expect(parse({ scope: { max_files: scopeCeilings.max_files } }).ok).toBe(true);
    expect(parse({ scope: { max_files: scopeCeilings.max_files + 1 } }).ok).toBe(false);
    expect(parse({ scope: { max_bytes: scopeCeilings.max_bytes + 1 } }).ok).toBe(false);
  });

  it.each([
    [
      'an unknown key, with the nearest known one',
      { evaluatr: 'structural' },
      { field: 'evaluatr', nearest: 'evaluator' },
    ],
    [
      'an unknown key inside an object',
      { scope: { max_file: 3 } },
      { field: 'scope.max_file', nearest: 'max_files' },
    ],
    ['a value that is not listed', { mode: 'loud' }, { field: 'mode' }],
    ['a model that may move', { system_one: { model: 'jev-latest' } }, { field: 'system_one.model' }],
    [
      'plain http to elsewhere',
      { system_one: { base_url: 'http://example.invalid' } },
      { field: 'system_one.base_url' },
    ],
    [
      'rule v1 at a threshold of 0.5',
      { signal_rule: 'v1', minimum_label_probability: 0.5 },
      { field: 'signal_rule' },
    ],
  ])('refuses %s', (_, extra, failure) => {
    expect(parse(extra)).toMatchObject({ ok: false, failure: { ...source, ...failure } });
  });

  it('takes plain http to this machine', () => {
    expect(parse({ system_one: { base_url: 'http://127.0.0.1:8080', api_key_env: null } }).ok).toBe(true);
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type ConfigureRequest, configurePolicy } from '../../src/goal/configure-policy.ts';
import { locateRegistry } from '../../src/goal/locate-registry.ts';
import type { PolicyChange } from '../../src/goal/plan-policy-change.ts';
import { blockOf, policyOf, readRegistry } from '../../src/goal/registry.ts';
import { pin } from '../support/history.ts';
import { temporaryFolder } from '../support/rig.ts';

/** As LoopX writes it: keys, numbers and a goal that this change must not touch. */
const loopxRegistry = `{
  "schema_version": "0.1",
  "updated_at": "2026-11-30T07:54:42+00:00",
  "common_runtime_root": "/runtime",
  "2": "a key that looks like a number",
  "1": "and one that would sort before it",
  "goals": [
    {
      "id": "other",
      "quota": { "compute": 1.0, "serial": 123456789012345678901234567890 }
    },
    {
      "id": "harbour",
      "domain": "project-goal-control-plane",
      "note": "\\u6e2f",
      "control_plane": {
        "self_repair": {
          "enabled": true
        }
      },
      "guards": []
    }
  ]
}
`;

const assist: PolicyChange = { kind: 'set', mode: 'assist', drift_threshold: 3, contract_revision: pin };

function request(text: string, extra: Partial<ConfigureRequest> = {}): ConfigureRequest {
  const file = join(temporaryFolder(), 'registry.json');
  writeFileSync(file, text);
  return {
    place: { file, owner: 'loopx' },
    goalId: 'harbour',
    change: assist,
    execute: true,
    now: 0,
    ...extra,
  };
}
const textOf = ({ place }: ConfigureRequest): string => readFileSync(place.file, 'utf8');
async function configured(of: ConfigureRequest) {
  const result = await configurePolicy(of);
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}
const reasonOf = async (of: ConfigureRequest): Promise<string> => {
  const result = await configurePolicy(of);
  return result.ok ? 'done' : result.failure.reason;
};

describe('a preview', () => {
  it('says what would be written and writes nothing, not even a lock', async () => {
    const of = request(loopxRegistry, { execute: false });
    expect(await configured(of)).toMatchObject({
      changed: true,
      written: false,
      before: { self_repair: { enabled: true } },
      after: { self_repair: { enabled: true }, progress_review: { mode: 'assist' } },
      feature_summary: {
        progress_review: { mode: 'assist', signal: 'noul', drift_threshold: 3, contract_revision: pin },
      },
    });
    expect(textOf(of)).toBe(loopxRegistry);
    expect(readdirSync(join(of.place.file, '..'))).toEqual(['registry.json']);
  });

  it('of nothing is a look', async () => {
    const look = await configured(request(loopxRegistry, { change: { kind: 'look' } }));
    expect(look).toMatchObject({
      changed: false,
      written: false,
      feature_summary: {},
      policy: { mode: 'off' },
    });
  });
});

describe('a change', () => {
  it('adds the block and leaves every other byte as it was', async () => {
    const of = request(loopxRegistry);
    expect((await configured(of)).written).toBe(true);
    const block = `,
        "progress_review": {
          "schema_version": "progress_review_policy_v0",
          "mode": "assist",
          "signal": "noul",
          "drift_threshold": 3,
          "contract_revision": "${pin}"
        }`;
    expect(textOf(of)).toBe(
      loopxRegistry.replace('"enabled": true\n        }', `"enabled": true\n        }${block}`),
    );
    expect(statSync(of.place.file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(of.place.file, '..')).sort()).toEqual(['registry.json', 'registry.json.lock']);
  });

  it('keeps the other fields, and keys that are not known, in their order', async () => {
    const of = request(loopxRegistry.replace('"guards": []', '"guards": []'), {});
    await configured(of);
    writeFileSync(
      of.place.file,
      textOf(of).replace('"mode": "assist"', '"colour": "blue", "mode": "assist"'),
    );
    await configured({ ...of, change: { kind: 'set', signal: 'choice' } });
    const registry = readRegistry(of.place.file);
    const block = registry.ok ? blockOf(registry.value.goals[1] ?? {}) : null;
    expect(Object.entries(block as object)).toEqual([
      ['schema_version', 'progress_review_policy_v0'],
      ['colour', 'blue'],
      ['mode', 'assist'],
      ['signal', 'choice'],
      ['drift_threshold', 3],
      ['contract_revision', pin],
    ]);
  });

  it('takes the pin away with null', async () => {
    const of = request(loopxRegistry);
    await configured(of);
    const { policy } = await configured({ ...of, change: { kind: 'set', contract_revision: null } });
    expect(policy).toMatchObject({ mode: 'assist', contract_revision: null });
  });

  it('that changes nothing writes nothing', async () => {
    const of = request(loopxRegistry);
    await configured(of);
    const { ino } = statSync(of.place.file);
    expect(await configured(of)).toMatchObject({ changed: false, written: false });
    expect(statSync(of.place.file).ino).toBe(ino);
  });

  it('on a malformed block starts from the defaults', async () => {
    const broken = loopxRegistry.replace('"self_repair"', '"progress_review": {"mode": "on"}, "self_repair"');
    const of = request(broken, { change: { kind: 'set', signal: 'choice' } });
    const registry = readRegistry(of.place.file);
    expect(registry.ok && policyOf(registry.value, 'harbour')).toMatchObject({
      mode: 'off',
      invalid_configuration: true,
    });
    const { policy } = await configured(of);
    expect(policy).toMatchObject({ mode: 'off', signal: 'choice' });
    expect(policy).not.toHaveProperty('invalid_configuration');
  });

  it.each([['null'], ['[]'], ['"x"']])('replaces a control plane that is %s', async (plane) => {
    const of = request(`{"goals": [{"id": "harbour", "control_plane": ${plane}}]}`);
    expect((await configured(of)).policy.mode).toBe('assist');
    expect((JSON.parse(textOf(of)) as { goals: object[] }).goals[0]).toHaveProperty(
      'control_plane.progress_review',
    );
  });
});

describe('clearing', () => {
  it('takes the block away, and nothing else', async () => {
    const of = request(loopxRegistry);
    await configured(of);
    expect(await configured({ ...of, change: { kind: 'clear' } })).toMatchObject({
      written: true,
      feature_summary: {},
    });
    expect(JSON.parse(textOf(of))).toEqual(JSON.parse(loopxRegistry));
  });

  it('takes an empty control plane with it', async () => {
    const of = request('{"goals": [{"id": "harbour"}]}');
    await configured(of);
    await configured({ ...of, change: { kind: 'clear' } });
    expect(JSON.parse(textOf(of))).toEqual({ goals: [{ id: 'harbour' }] });
  });
});

describe('the observer keeps its own registry', () => {
  it('and starts it with the goal where there is none', async () => {
    const file = join(temporaryFolder(), 'registry.json');
    const of: ConfigureRequest = {
      place: { file, owner: 'own' },
      goalId: 'harbour',
      change: assist,
      execute: true,
      runtimeRoot: '/runtime',
      now: 0,
    };
    expect((await configured({ ...of, execute: false })).changed).toBe(true);
    expect(existsSync(file)).toBe(false);
    await configured(of);
    expect(JSON.parse(textOf(of))).toMatchObject({
      schema_version: '0.1',
      common_runtime_root: '/runtime',
      goals: [{ id: 'harbour', control_plane: { progress_review: { mode: 'assist' } } }],
    });
    await configured({ ...of, goalId: 'quay' });
    const registry = readRegistry(file);
    expect(registry.ok && policyOf(registry.value, 'harbour').mode).toBe('assist');
    expect(registry.ok && policyOf(registry.value, 'quay').mode).toBe('assist');
  });
});

describe('a registry is refused', () => {
  it('when it does not name the goal, with the nearest one', async () => {
    const result = await configurePolicy(request(loopxRegistry, { goalId: 'harbor' }));
    expect(result).toMatchObject({ ok: false, failure: { reason: 'goal_not_found', nearest: 'harbour' } });
  });

  it('when it is a symbolic link, or its lock is', async () => {
    const of = request(loopxRegistry);
    const link = join(temporaryFolder(), 'registry.json');
    symlinkSync(of.place.file, link);
    expect(await reasonOf({ ...of, place: { file: link, owner: 'loopx' } })).toBe('file_not_regular');
    symlinkSync('/dev/null', `${of.place.file}.lock`);
    expect(await reasonOf(of)).toBe('file_not_regular');
    expect(textOf(of)).toBe(loopxRegistry);
  });

  it.each([['[]'], ['{"goals": 7}'], ['{"goals": [], "goals": []}']])('when it is %s', async (text) => {
    expect(await reasonOf(request(text))).toMatch(/registry_invalid|json_invalid/);
  });

  it('when its folder cannot be written', async () => {
    const of = request(loopxRegistry, {});
    chmodSync(join(of.place.file, '..'), 0o500);
    const reason = await reasonOf(of);
    chmodSync(join(of.place.file, '..'), 0o700);
    if (process.geteuid?.() !== 0) expect(reason).toBe('write_failed');
    else expect(reason).toBe('done');
  });
});

describe("LoopX's lock", () => {
  let holder: ChildProcess | undefined;
  afterEach(async () => {
    holder?.stdin?.end();
    if (holder && holder.exitCode === null) await once(holder, 'close');
    holder = undefined;
  });
  async function hold(file: string): Promise<void> {
    holder = spawn('flock', ['--exclusive', `${file}.lock`, 'sh', '-c', 'echo held; cat'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(holder.stdout as NodeJS.ReadableStream, 'data');
  }

  it('is waited for, and the change is made on what its holder left behind', async () => {
    const of = request(loopxRegistry);
    await hold(of.place.file);
    const change = configured(of);
    writeFileSync(of.place.file, loopxRegistry.replace('"guards": []', '"guards": ["meanwhile"]'));
    setTimeout(() => holder?.stdin?.end(), 300);
    expect((await change).written).toBe(true);
    expect(textOf(of)).toContain('"meanwhile"');
    expect(textOf(of)).toContain('"assist"');
  });

  it('that is never given up is reported, and nothing is written', async () => {
    const of = request(loopxRegistry);
    await hold(of.place.file);
    expect(await reasonOf(of)).toBe('state_busy');
    expect(textOf(of)).toBe(loopxRegistry);
  }, 20_000);

  it('that cannot be had stops the change', async () => {
    const of = request(loopxRegistry);
    const path = process.env['PATH'];
    process.env['PATH'] = temporaryFolder();
    const reason = await reasonOf(of);
    process.env['PATH'] = path;
    expect(reason).toBe('registry_lock_unavailable');
    expect(textOf(of)).toBe(loopxRegistry);
  });

  it('lets two changes at once both be made', async () => {
    const of = request(loopxRegistry);
    await Promise.all([
      configured(of),
      configured({ ...of, change: { kind: 'set', signal: 'choice' } }),
      configured({ ...of, goalId: 'other', change: { kind: 'set', mode: 'shadow' } }),
    ]);
    const registry = readRegistry(of.place.file);
    expect(registry.ok && policyOf(registry.value, 'harbour')).toMatchObject({
      mode: 'assist',
      signal: 'choice',
    });
    expect(registry.ok && policyOf(registry.value, 'other')).toMatchObject({ mode: 'shadow' });
  });
});

describe('the registry of a goal', () => {
  const query = { env: {}, cwd: '/nowhere', goalId: 'harbour', own: '/state/registry.json' };

  it("is the named one, and the observer's own by its name", () => {
    expect(locateRegistry({ ...query, named: 'r.json' })).toEqual({
      file: '/nowhere/r.json',
      owner: 'loopx',
    });
    expect(locateRegistry({ ...query, named: '/state/registry.json' })?.owner).toBe('own');
  });

  it('is the first of LoopX that knows the goal, else the own', () => {
    const { place } = request(loopxRegistry);
    const env = { LOOPX_REGISTRY: place.file };
    expect(locateRegistry({ ...query, env })).toEqual(place);
    expect(locateRegistry({ ...query, env, goalId: 'unknown' })).toEqual({ file: query.own, owner: 'own' });
    const { own: _, ...stateless } = query;
    expect(locateRegistry(stateless)).toBeNull();
  });

  it('is found through the mirror that the runtime keeps', () => {
    const { place } = request(loopxRegistry);
    const runtimeRoot = temporaryFolder();
    const mirror = { goals: [{ id: 'harbour', source_registry: place.file }] };
    writeFileSync(join(runtimeRoot, 'registry.global.json'), JSON.stringify(mirror));
    expect(locateRegistry({ ...query, runtimeRoot })).toEqual(place);
  });
});

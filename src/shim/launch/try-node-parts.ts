// Says on stdout how the part of Node that it is asked for can be used, if that does everything right that is relied on.
// Node carries its own words as text: they tell how it asks itself, and so how it can be asked without harm.
import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { spawnDirectly } from '../command/spawn-directly.ts';
import { createDirectHash } from './direct-hash.ts';
import { bindingOf, type NodeParts } from './node-parts.ts';

const texts = bindingOf('natives') as Readonly<Record<string, string>>;
const textOf = (module: string): string => (texts[module] ?? '').replace(/\s+/g, ' ');

type SpawnForm = NonNullable<NodeParts['spawn']>;
type End = readonly [number | null, string | null];

async function trySpawn(): Promise<SpawnForm | null> {
  const text = textOf('internal/child_process');
  const form = (['object', 'parts'] as const).find((each) => text.includes(callOf[each]));
  if (form === undefined) return null;
  const seen = await runCommands(form);
  const right = [[7, null], [null, 'SIGTERM'], [null, 'SIGKILL'], 'a b,x  y\n', null];
  return isDeepStrictEqual(seen, right) ? form : null;
}

const callOf: Readonly<Record<SpawnForm, string>> = {
  object: '_handle.spawn(options);',
  parts:
    '_handle.spawn( options.file, options.args, options.cwd, options.envPairs, options.stdio, spawnFlags, options.uid, options.gid, );',
};

/** Exit status, death by a signal, a signal handed on; arguments, environment and descriptor of the first; a missing program. */
async function runCommands(form: SpawnForm): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'drift-trial-'));
  const said = join(folder, 'said');
  const descriptor = openSync(said, 'w');
  const run = (
    words: readonly string[],
    act: (kill: (signal: NodeJS.Signals) => void) => void = () => undefined,
  ): Promise<End> =>
    new Promise((resolve, reject) => {
      const plan = { file: '/bin/sh', args: [...words], env: { TRIAL: 'a b' }, script: null };
      const stdio = ['ignore', 1, 2, 'ignore', descriptor] as const;
      const running = spawnDirectly(form, plan, stdio, (...end) => resolve(end));
      if (running === null) reject(new Error('not started'));
      else act(running.kill);
    });
  try {
    const missing = { file: join(folder, 'none'), args: [], env: {}, script: null };
    return [
      await run(['-c', 'echo "$TRIAL,$1" >&4; exit 7', 'sh', 'x  y']),
      await run(['-c', 'kill -TERM $$']),
      await run(['-c', 'exec sleep 60'], (kill) => kill('SIGKILL')),
      readFileSync(said, 'utf8'),
      spawnDirectly(form, missing, [0, 1, 2], () => undefined),
    ];
  } finally {
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
  }
}

function tryHash(): NonNullable<NodeParts['hash']> | null {
  const call =
    'return oneShotDigest(algorithm, getCachedHashId(algorithm), getHashCache(), input, normalized, encodingsMap[normalized]);';
  if (!textOf('internal/crypto/hash').includes(call)) return null;
  const hash = directHash();
  if (hash === null) return null;
  const inputs = [
    '',
    'abc',
    'ä\u{1f600}\ud800',
    Buffer.alloc(0),
    Buffer.alloc(3_000_001, 'x'),
    Buffer.from('abcdef').subarray(2, 4),
  ];
  return inputs.every((input) => hash(input) === createHash('sha256').update(input).digest('hex'))
    ? 'one_shot'
    : null;
}

/** Some Nodes say that they have it, and give it to nobody. */
function directHash(): ReturnType<typeof createDirectHash> | null {
  try {
    return createDirectHash();
  } catch {
    return null;
  }
}

const [, , part] = process.argv;
const found = part === 'spawn' ? await trySpawn() : part === 'hash' ? tryHash() : null;
if (found === null) process.exitCode = 1;
else console.log(found);

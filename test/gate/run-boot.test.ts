import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { gateConfigSchema } from '../../src/contract/gate.ts';
import { newRecord } from '../../src/gate/gate-record.ts';
import { runBoot } from '../../src/gate/run-boot.ts';
import { tally } from '../../src/gate/tally-gate.ts';
import { isRunning } from '../support/is-running.ts';
import { temporaryFolder } from '../support/rig.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const boot = async (value: { argv: string[]; probe?: unknown; grace_ms?: number }) => {
  const config = gateConfigSchema.parse({ schema_version: 'drift_gate_config_v1', boot: value }).boot!;
  const record = newRecord();
  await runBoot(record, config, { cwd: folder, env: process.env, progress: () => undefined });
  return { ...record, verdict: tally({ events: record.events, debts: { open_debts: [] } }) };
};
const sh = (line: string) => ['sh', '-c', line];
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
};
const server = (port: number, status = 200) => [
  process.execPath,
  '-e',
  `require('http').createServer((q,s)=>{s.statusCode=${status};s.end()}).listen(${port},'127.0.0.1')`,
];

describe('runBoot', () => {
  it('passes when the probe is content, and ends the product', async () => {
    const { verdict } = await boot({
      argv: sh('echo $$ > pid; touch up; exec sleep 30'),
      probe: ['test', '-e', 'up'],
    });
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));

    expect(verdict).toMatchObject({ verdict: 'PASS', attempts: 1, observations: 1 });
    expect(isRunning(pid)).toBe(false);
  });

  it('looks at an http address', async () => {
    const port = await freePort();

    expect((await boot({ argv: server(port), probe: `http://127.0.0.1:${port}/` })).verdict.verdict).toBe(
      'PASS',
    );
  });

  it('fails at rank 0, observed, when the product answers with an error until the grace is over', async () => {
    const port = await freePort();
    const { verdict, failures } = await boot({
      argv: server(port, 500),
      probe: `http://127.0.0.1:${port}/`,
      grace_ms: 1_500,
    });

    expect(verdict.verdict).toBe('FAIL');
    expect(verdict.observed_failures).toEqual(verdict.failures);
    expect(failures).toMatchObject([{ rank: 0, observed: true, exit: null }]);
    expect(failures[0]?.text).toMatch(/not up after 1500 ms: HTTP status 500/);
  });

  it('fails at rank 0 when the product ends with an error, and shows what it said', async () => {
    const { failures } = await boot({ argv: sh('echo boom >&2; exit 9'), probe: 'false', grace_ms: 5_000 });

    expect(failures).toMatchObject([{ rank: 0, exit: 9, tail: 'boom' }]);
  });

  it.each([
    ['cannot be started', { argv: ['no-such-program-here'], probe: 'false' }, 'spawn_error'],
    ['is not found by its shell', { argv: sh('exit 127'), probe: 'false' }, 'exit_127'],
    ['is killed from outside', { argv: sh('kill -9 $$'), probe: 'false' }, 'signal'],
    ['has a probe that cannot look', { argv: sh('sleep 5'), probe: ['no-such-probe-here'] }, 'harness'],
    ['is answered for by something else', { argv: sh('sleep 5'), probe: 'true' }, 'harness'],
  ])('notes that a product was not booted when it %s', async (_name, config, rule) => {
    const { verdict, skips } = await boot(config);

    expect(verdict.verdict).toBe('UNOBSERVED');
    expect(verdict.reason).toMatch(/^UNOBSERVED — NOT a pass: boot `/);
    expect(skips).toMatchObject([{ rule }]);
  });

  it('keeps its note though the tests pass', async () => {
    const { events } = await boot({ argv: ['no-such-program-here'], probe: 'false' });
    const all = tally({
      events: [['attempted', 'npm'], ['observed'], ['ran', 'npm test'], ...events],
      debts: { open_debts: [] },
    });

    expect(all).toMatchObject({ verdict: 'UNOBSERVED', passed: ['npm test'] });
  });

  it('without a probe, passes what stays up for the grace or ends well', async () => {
    expect((await boot({ argv: sh('sleep 30'), grace_ms: 300 })).verdict.verdict).toBe('PASS');
    expect((await boot({ argv: ['true'], grace_ms: 5_000 })).verdict.verdict).toBe('PASS');
    expect((await boot({ argv: ['false'], grace_ms: 5_000 })).verdict.verdict).toBe('FAIL');
  });

  it('goes on looking when the product has gone into the background', async () => {
    writeFileSync(join(folder, 'late.sh'), 'echo $$ > pid; sleep 0.5; touch up; exec sleep 30');
    const { verdict } = await boot({ argv: sh('sh late.sh & exit 0'), probe: ['test', '-e', 'up'] });

    expect(verdict.verdict).toBe('PASS');
    expect(isRunning(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBe(false);
  });
});

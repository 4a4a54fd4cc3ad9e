import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createSystemOneEvaluator } from '../../src/evaluate/system-one/evaluate-system-one.ts';
import { openRequestLedger } from '../../src/evaluate/system-one/ledger/request-ledger.ts';
import type { SystemOneOptions, SystemOneSetting } from '../../src/evaluate/system-one/options.ts';
import { temporaryFolder } from './rig.ts';
import {
  answersOf,
  type Behaviour,
  type ServerOptions,
  type SystemOneServer,
  startSystemOneServer,
} from './system-one-server.ts';

export const key = 'sk-test-0123456789abcdef';

/** A server that is closed when the running test ends; it answers drift unless told otherwise. */
export async function serve(
  behave: ServerOptions['behave'] | Behaviour = { kind: 'answer', answers: answersOf() },
  rest: Omit<ServerOptions, 'behave'> = { key },
): Promise<SystemOneServer> {
  const server = await startSystemOneServer({
    behave: typeof behave === 'function' ? behave : () => behave,
    ...rest,
  });
  onTestFinished(() => server.close());
  return server;
}

export const optionsFor = (url: string, rest: Partial<SystemOneOptions> = {}): SystemOneOptions => ({
  base_url: url,
  model: 'jev-1.13.0',
  model_match: 'exact',
  api_key_env: 'DRIFT_TEST_KEY',
  allow_egress: true,
  deadline_ms: 20_000,
  max_requests: 50,
  max_request_bytes: 65_536,
  max_response_bytes: 16_384,
  ...rest,
});

export const eventId = (n: number): string => n.toString(16).padStart(64, '0');

export interface RemoteRig {
  readonly folder: string;
  readonly setting: SystemOneSetting;
  readonly evaluate: ReturnType<typeof createSystemOneEvaluator>;
}

/** The evaluator of event 1 on a ledger of its own, with everything allowed. */
export function remoteRig(options: SystemOneOptions, rest: Partial<SystemOneSetting> = {}): RemoteRig {
  const folder = join(temporaryFolder(), 's1');
  const setting: SystemOneSetting = {
    options,
    labelThreshold: 0.6,
    eventId: eventId(1),
    ledger: openRequestLedger(folder),
    guard: async () => null,
    env: { DRIFT_TEST_KEY: key },
    now: () => Date.UTC(2026, 0, 1),
    ...rest,
  };
  return { folder, setting, evaluate: createSystemOneEvaluator(setting) };
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { OpenObligation } from '../../src/goal/open-obligations.ts';
import { driftProgram, type Ended, makeRig, type Rig, run } from './rig.ts';

/** Every step here is a process of its own; a busy machine takes its time. */
vi.setConfig({ testTimeout: 240_000 });

/** A busy machine must not turn a proof into an abstention. */
const patientConfig = { schema_version: 'drift_config_v1', structural: { file_budget_ms: 10_000 } };

const source = (name: string): string =>
  `export function retry(times: number): number {\n  const ${name} = times + 1;\n  return ${name} * 2;\n}\n`;

/** What a claim is made of on the command line. */
export const claimWords = (hypothesis: string, ...evidence: string[]): string[] => [
  '--progress-result-class',
  'advanced',
  '--progress-hypothesis-id',
  hypothesis,
  ...evidence.flatMap((id) => ['--progress-evidence-id', id]),
];

export const blockerWords = (blocker: string, ...evidence: string[]): string[] => [
  '--progress-result-class',
  'blocked',
  '--progress-blocker-id',
  blocker,
  ...evidence.flatMap((id) => ['--progress-evidence-id', id]),
];

type Document = Partial<OpenObligation> & { readonly open: boolean };

interface AssistSetup {
  readonly mode?: string;
  readonly pinned?: boolean;
  /** More words for `drift init`. */
  readonly args?: readonly string[];
}

/** A goal under assist with a file that an agent can churn. */
export async function makeAssistRig({ mode = 'assist', pinned = true, args = [] }: AssistSetup = {}) {
  const rig = await makeRig({ files: { 'a.ts': source('limit') }, init: false, args });
  mkdirSync(rig.state);
  writeFileSync(join(rig.state, 'config.json'), JSON.stringify(patientConfig));
  await expectDone(rig.drift(rig.initWords));
  const status = await rig.status();
  const pin = pinned ? ['--progress-review-contract-revision', status.contract_revision] : [];
  await expectDone(configure(rig, '--progress-review-mode', mode, ...pin));
  let turn = 0;
  return {
    ...rig,
    pin: status.contract_revision,
    configure: (...words: string[]) => configure(rig, ...words),
    /** One refresh of an agent, after the file was touched or not. */
    turn: (
      words: readonly string[],
      { agent = 'scout', churn = true, as }: TurnOptions = {},
    ): Promise<Ended> => {
      turn += 1;
      if (churn) rig.write('a.ts', source(`limit${turn}`));
      const named = as === undefined ? [] : ['--turn-id', as];
      return rig.drift(['refresh', '--agent-id', agent, ...named, ...words, '--', 'true']);
    },
    obligation: async (...words: string[]): Promise<Document & { readonly rc: Ended['rc'] }> => {
      const { rc, out } = await rig.drift(['obligation', '--json', ...words]);
      return { ...(JSON.parse(out) as Document), rc };
    },
    ack: async (...words: string[]) => {
      const { rc, out, err } = await rig.drift(['ack', '--json', ...words]);
      return {
        rc,
        err,
        ...(JSON.parse(out) as {
          accepted: boolean;
          reason_code: string | null;
          status: string;
          command?: string;
        }),
      };
    },
    /** Runs a printed command as a shell would, with drift on its path. */
    paste: (command: string): Promise<Ended> => {
      const shim = `drift() { '${driftProgram}' "$@"; }\n`;
      return run(['sh', '-c', shim + command], { cwd: rig.dir });
    },
  };
}

interface TurnOptions {
  readonly agent?: string;
  readonly churn?: boolean;
  readonly as?: string;
}

const configure = (rig: Rig, ...words: string[]): Promise<Ended> =>
  rig.drift(['configure-goal', '--goal-id', rig.goal, ...words, '--execute']);

async function expectDone(ended: Promise<Ended>): Promise<void> {
  const { rc, err } = await ended;
  if (rc !== 0) throw new Error(err);
}

export type AssistRig = Awaited<ReturnType<typeof makeAssistRig>>;

/** Two drift turns of an agent, judged; the obligation that they raise. */
export async function formObligation(rig: AssistRig, mark: string, agent = 'scout') {
  for (const n of [1, 2]) await rig.turn(claimWords(`h-${mark}-${n}`, `ev-${mark}`), { agent });
  await rig.drain();
  const obligation = await rig.obligation('--agent-id', agent);
  if (!obligation.open)
    throw new Error(`no obligation: ${JSON.stringify((await rig.status()).events.slice(0, 4))}`);
  return obligation as OpenObligation & { readonly rc: Ended['rc'] };
}

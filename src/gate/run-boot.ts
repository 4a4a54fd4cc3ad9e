import { setTimeout as sleep } from 'node:timers/promises';
import type { GateConfig } from '../contract/gate.ts';
import { type GateRecord, judgeEnd, recordFailure, recordSkip } from './gate-record.ts';
import { type Environment, environmentFor } from './resolve-runner.ts';
import type { Progress } from './run-commands.ts';
import { type ProcessEnd, type RunningProcess, startProcess } from './run-process.ts';
import { argvOfLine } from './shell-line.ts';
import { unobservedOpening } from './tally-gate.ts';

type Boot = NonNullable<GateConfig['boot']>;

/** One look at the product. `blind`: the probe itself could not look. */
type Look = { readonly kind: 'up' } | { readonly kind: 'down' | 'blind'; readonly why: string };

/** How a boot ended: looked at and up, looked at and down, or not looked at. */
type BootEnd =
  | { readonly kind: 'up' }
  | { readonly kind: 'down'; readonly why: string; readonly exit: number | null }
  | {
      readonly kind: 'not_booted';
      readonly rule: 'spawn_error' | 'signal' | 'exit_127' | 'harness';
      readonly why: string;
    };

const pauseMs = 100;
const lookMs = 5_000;

/**
 * Starts the product and looks at it until the probe is content or the grace is over, then ends its process group.
 * What a probe saw is rank 0. A product that could not be started or looked at is a note that no passing test cancels.
 */
export async function runBoot(
  record: GateRecord,
  boot: Boot,
  settings: Environment & { readonly progress: Progress },
): Promise<void> {
  const [runner] = boot.argv;
  const command = boot.argv.join(' ');
  const label = `boot ${command}`;
  settings.progress(label);
  const env = (await environmentFor(runner, settings)) ?? settings.env;
  const { end, output } = await bootOnce(boot, { cwd: settings.cwd, env });
  settings.progress(null);

  record.events.push(['attempted', runner]);
  if (end.kind === 'not_booted') {
    if (end.rule === 'spawn_error') record.events.push(['spawn_failure', runner]);
    record.events.push([
      'boot_unobserved',
      `${unobservedOpening}: boot \`${command}\` was not observed: ${end.why}.`,
    ]);
    recordSkip(record, { label, rule: end.rule, detail: end.why });
    return;
  }
  record.events.push(['observed']);
  if (end.kind === 'up') record.events.push(['ran', label]);
  else recordFailure(record, { label, exit: end.exit, output, rank: 0, what: end.why });
}

async function bootOnce(boot: Boot, where: Environment): Promise<{ end: BootEnd; output: Uint8Array }> {
  const none = new Uint8Array();
  if (boot.probe !== undefined) {
    const before = await look(boot.probe, where, lookMs);
    if (before.kind === 'up')
      return {
        end: notBooted('harness', 'its probe is content before it starts, so something else answers'),
        output: none,
      };
    if (before.kind === 'blind')
      return { end: notBooted('harness', `its probe cannot look: ${before.why}`), output: none };
  }
  const running = startProcess({ argv: boot.argv, ...where, keepsGroup: true });
  const end =
    boot.probe === undefined ? await watch(running, boot.grace_ms) : await waitFor(running, boot, where);
  await running.stop();
  return { end, output: running.tail() };
}

const notBooted = (rule: 'spawn_error' | 'signal' | 'exit_127' | 'harness', why: string): BootEnd => ({
  kind: 'not_booted',
  rule,
  why,
});

/** Without a probe: it has to stay up for the grace, or end well. */
async function watch(running: RunningProcess, graceMs: number): Promise<BootEnd> {
  const end = await Promise.race([running.end, sleep(graceMs, null)]);
  return (end === null ? null : earlyEnd(end)) ?? { kind: 'up' };
}

async function waitFor(running: RunningProcess, boot: Boot, where: Environment): Promise<BootEnd> {
  const giveUpAt = Date.now() + boot.grace_ms;
  let ended: ProcessEnd | null = null;
  void running.end.then((end) => {
    ended = end;
  });
  for (let last = 'it was not looked at'; ; ) {
    const early = ended === null ? null : earlyEnd(ended);
    if (early) return early;
    const leftMs = giveUpAt - Date.now();
    if (leftMs <= 0) return { kind: 'down', exit: null, why: `not up after ${boot.grace_ms} ms: ${last}` };
    const seen = await look(boot.probe ?? '', where, Math.min(leftMs, lookMs));
    if (seen.kind === 'up') return { kind: 'up' };
    last = seen.why;
    await sleep(pauseMs);
  }
}

/** Null for exit 0: it may have gone into the background, and the probe goes on looking. */
function earlyEnd(end: ProcessEnd): BootEnd | null {
  const outcome = judgeEnd(end, { skipExit: [], exit127: 'skip' });
  if (outcome.kind === 'pass') return null;
  if (outcome.kind === 'fail')
    return { kind: 'down', exit: outcome.exit, why: `exit ${outcome.exit} before it was up` };
  const rule = outcome.rule === 'spawn_error' || outcome.rule === 'exit_127' ? outcome.rule : 'signal';
  return notBooted(rule, outcome.detail);
}

async function look(probe: NonNullable<Boot['probe']>, where: Environment, timeoutMs: number): Promise<Look> {
  if (typeof probe === 'string' && /^https?:\/\//.test(probe)) return fetchOnce(probe, timeoutMs);
  const argv = typeof probe === 'string' ? argvOfLine(probe, where) : probe;
  const outcome = judgeEnd(await startProcess({ argv, ...where, timeoutMs }).end, {
    skipExit: [],
    exit127: 'skip',
  });
  if (outcome.kind === 'pass') return { kind: 'up' };
  if (outcome.kind === 'fail') return { kind: 'down', why: `its probe ended with exit ${outcome.exit}` };
  const isBlind = outcome.rule === 'spawn_error' || outcome.rule === 'exit_127';
  return { kind: isBlind ? 'blind' : 'down', why: `its probe: ${outcome.detail}` };
}

async function fetchOnce(address: string, timeoutMs: number): Promise<Look> {
  try {
    const { ok, status, body } = await fetch(address, {
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await body?.cancel();
    return ok || (status >= 300 && status < 400)
      ? { kind: 'up' }
      : { kind: 'down', why: `HTTP status ${status}` };
  } catch (error) {
    return {
      kind: 'down',
      why: error instanceof Error && error.name === 'TimeoutError' ? 'no answer in time' : 'no connection',
    };
  }
}

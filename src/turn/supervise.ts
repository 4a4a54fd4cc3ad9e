import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure } from '../contract/failure.ts';
import { ok, type Result } from '../contract/result.ts';
import type { Supervision, SupervisionStep } from '../contract/turn.ts';
import type { SessionReading } from './classify-session-log.ts';

/** What supervision needs of a host. */
export interface Host {
  /** Reads the session as it stands. */
  readonly read: () => Result<SessionReading, Failure>;
  /** Queues a message for the idle session. */
  readonly send: (text: string) => Promise<Result<null, Failure>>;
  /** Returns when the session is idle again. */
  readonly waitForIdle: () => Promise<Result<null, Failure>>;
  /** How to go on after an interrupt; blank or null means pause. */
  readonly ask: () => Promise<Result<string | null, Failure>>;
  /** Takes the watchdog's flag: true once for each time it was set. */
  readonly takeWatchdogFlag: () => boolean;
}

export interface SuperviseLimits {
  readonly maxResumes: number;
  /** How long a watchdog's own recovery may take to show in the log. */
  readonly graceMs: number;
  readonly pollMs: number;
}

/**
 * What resumes a turn that was parked at a compaction. A turn that was finished when it was compacted has to be able
 * to say so and stop, because the log alone cannot tell the two apart.
 */
export const continueNudge =
  'The context was compacted. If the task is already complete, say so in one line and stop. Otherwise go on with it from where you were.';

/**
 * Follows a turn from its first idle to its real end: resumes it across compactions, lets somebody steer it after an
 * interrupt, and says how it ended. A compaction that happens while steering is resumed too, and counts. Fails with
 * what reading the log or a command of the host fails with.
 */
export async function supervise(host: Host, limits: SuperviseLimits): Promise<Result<Supervision, Failure>> {
  const steps: SupervisionStep[] = [];
  for (;;) {
    const reading = host.read();
    if (!reading.ok) return reading;
    const { end, error_message: error } = reading.value;
    const resumes = steps.filter(({ kind }) => kind === 'resume').length;
    const goesOn = await takeStep({ host, limits, steps, resumes }, reading.value);
    if (!goesOn.ok) return goesOn;
    if (!goesOn.value)
      return ok({
        interrupted: end === 'aborted',
        error: end === 'error' ? error : null,
        resumes,
        capped: end === 'compaction',
        end,
        steps,
      });
  }
}

interface Course {
  readonly host: Host;
  readonly limits: SuperviseLimits;
  /** Grows. */
  readonly steps: SupervisionStep[];
  readonly resumes: number;
}

/** Acts on one reading; false when there is nothing more to do about it. */
async function takeStep(course: Course, reading: SessionReading): Promise<Result<boolean, Failure>> {
  const { host, limits, steps, resumes } = course;
  if (reading.end === 'aborted') return steer(course, reading);
  if (reading.end !== 'compaction' || resumes >= limits.maxResumes) return ok(false);
  steps.push({ kind: 'resume', n: resumes + 1 });
  const sent = await sendAndWait(host, continueNudge);
  return sent.ok ? ok(true) : sent;
}

/** One round after an abort: the watchdog's own recovery where it fired, else somebody's word. */
async function steer(
  { host, limits, steps }: Course,
  aborted: SessionReading,
): Promise<Result<boolean, Failure>> {
  if (host.takeWatchdogFlag()) {
    const recovered = await awaitRecovery(host, limits);
    if (!recovered.ok) return recovered;
    steps.push({ kind: 'watchdog_wait', recovered: recovered.value });
    if (recovered.value) return ok(true);
  }
  const asked = await host.ask();
  if (!asked.ok) return asked;
  const text = asked.value?.trim() ?? '';
  steps.push({ kind: 'ask', answered: text !== '' });
  if (text === '') return ok(false);
  const sent = await sendAndWait(host, text);
  if (!sent.ok) return sent;
  const after = host.read();
  if (!after.ok) return after;
  if (!isSame(aborted, after.value)) return ok(true);
  steps.push({ kind: 'unheard' });
  return ok(false);
}

const isSame = (one: SessionReading, other: SessionReading): boolean =>
  one.entries === other.entries && one.end === other.end;

/** True once the turn is no longer aborted, or its reminder was delivered and answered. */
async function awaitRecovery(
  host: Host,
  { graceMs, pollMs }: SuperviseLimits,
): Promise<Result<boolean, Failure>> {
  const giveUpAt = Date.now() + graceMs;
  for (;;) {
    const reading = host.read();
    if (!reading.ok) return reading;
    if (reading.value.end !== 'aborted') return ok(true);
    if (reading.value.isReminded) {
      const idle = await host.waitForIdle();
      return idle.ok ? ok(true) : idle;
    }
    if (Date.now() >= giveUpAt) return ok(false);
    await sleep(pollMs);
  }
}

async function sendAndWait(host: Host, text: string): Promise<Result<null, Failure>> {
  const sent = await host.send(text);
  return sent.ok ? host.waitForIdle() : sent;
}

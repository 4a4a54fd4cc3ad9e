import type { ActionKind, FinalityRule, Observation } from '../contract/finality.ts';

/** One turn to judge. The fingerprint is that of the observation. */
export interface Turn {
  readonly observation: Observation;
  readonly fingerprint: string;
  readonly action: ActionKind;
}

/** What a run has been through so far. `judgeTurn` moves it on. */
export interface FinalityRun {
  /** Checks spent by fingerprint, over the whole run. */
  readonly checks: Map<string, number>;
  identicalRepolls: number;
  previous: { readonly fingerprint: string; readonly action: ActionKind } | null;
}

export interface Ruling {
  readonly rule: FinalityRule | null;
  readonly checksForState: number;
}

export const newRun = (): FinalityRun => ({ checks: new Map(), identicalRepolls: 0, previous: null });

const finishing: readonly ActionKind[] = ['advance', 'deliver', 'complete'];

const isFinished = ({ deliverable_state: state }: Observation): boolean =>
  state === 'accepted' || state === 'finished';

/** A required dependency holds the next stage back while its state is one of these two words. */
export const isHeldBack = (observation: Observation): boolean =>
  observation.dependency_required_for_next_stage &&
  (observation.dependency_state === 'pending' || observation.dependency_state === 'failed');

/**
 * The three rules in their order; the first that a turn breaks is its ruling, null when it breaks none.
 *
 * 1. Accepted or finished, and no dependency required: advance, deliver or complete, nothing else.
 * 2. One check per state that a required pending or failed dependency holds back. Counted per state over the whole
 *    run, so leaving a state and coming back does not renew it.
 * 3. The same `work` or `check` on the same state twice in a row is stuck.
 */
export function judgeTurn(run: FinalityRun, { observation, fingerprint, action }: Turn): Ruling {
  const rule = brokenRule(run, { observation, fingerprint, action });
  run.previous = { fingerprint, action };
  return { rule, checksForState: run.checks.get(fingerprint) ?? 0 };
}

function brokenRule(run: FinalityRun, { observation, fingerprint, action }: Turn): FinalityRule | null {
  const required = observation.dependency_required_for_next_stage;
  if (isFinished(observation) && !required && !finishing.includes(action)) return 'must_finish';
  if (isHeldBack(observation) && action === 'check') {
    const count = (run.checks.get(fingerprint) ?? 0) + 1;
    run.checks.set(fingerprint, count);
    if (count > 1) {
      run.identicalRepolls += 1;
      return 'identical_repoll';
    }
  }
  const repeats = run.previous?.fingerprint === fingerprint && run.previous.action === action;
  return repeats && (action === 'work' || action === 'check') ? 'stuck_work' : null;
}

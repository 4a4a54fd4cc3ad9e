import type { EventSummary } from '../contract/judged-event.ts';
import { reasonWords } from './reason-words.ts';

/** The owner's one word (design §5 status). A false signal is never called on-goal; nothing unevaluated is drift. */
export type AttemptWord = 'DRIFTING' | 'NO DRIFT SIGNAL' | 'UNDECIDED' | 'UNOBSERVED';
export type VerdictWord = AttemptWord | 'OBLIGATION OPEN';

export interface Verdict {
  readonly word: VerdictWord;
  /** What the newest attempt alone says. */
  readonly attempt: AttemptWord;
  readonly because: string;
  /** How many drift verdicts stand in a row, newest first. */
  readonly streak: number;
}

type Attempt = Omit<Verdict, 'word' | 'attempt'> & { readonly word: AttemptWord };

interface Facts {
  /** Newest first. */
  readonly events: readonly EventSummary[];
  readonly signal: 'noul' | 'choice';
  readonly lastRefresh: { readonly outcome: string; readonly reason: string | null } | null;
  readonly lastDrainAt: string | null;
  readonly obligations: readonly { readonly agent_id: string; readonly obligation_id: string }[];
}

/** An open obligation is what the owner has to know first; the newest attempt follows it. */
export function readVerdict(facts: Facts): Verdict {
  const attempt = readAttempt(facts);
  const verdict = { ...attempt, attempt: attempt.word };
  const [open, ...others] = facts.obligations;
  if (!open) return verdict;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  const because = `${open.agent_id}${more}; newest attempt ${attempt.word}: ${attempt.because}`;
  return { ...verdict, word: 'OBLIGATION OPEN', because };
}

/** Reads the verdict off the newest attempt. */
function readAttempt(facts: Facts): Attempt {
  const { events, lastRefresh, lastDrainAt, signal } = facts;
  const newest = events[0];
  if (lastRefresh?.outcome === 'capture_failed')
    return unobserved(facts, events, `the last refresh was not captured: ${reasonWords(lastRefresh.reason)}`);
  if (!newest) return unobserved(facts, [], 'no transition has been captured yet');
  const older = events.slice(1);
  if (newest.status === 'queued')
    return unobserved(
      facts,
      older,
      `${countLeading(events, 'queued')} waiting; ${lastDrainAt ? `last drain ${lastDrainAt}` : 'drain has not run yet'}`,
    );
  const word = wordOf(newest, signal);
  if (word === 'UNOBSERVED') return unobserved(facts, older, describe(newest));
  if (word === 'DRIFTING') {
    const streak = driftStreak(events, signal);
    return { word, because: `${streak} in a row; ${describe(newest)}`, streak };
  }
  return { word, because: describe(newest), streak: 0 };
}

function wordOf(event: EventSummary, signal: 'noul' | 'choice'): AttemptWord {
  if (event.status === 'abstained') return 'UNDECIDED';
  if (event.status !== 'completed') return 'UNOBSERVED';
  const drift = event.drift_signal[signal];
  return drift === null ? 'UNDECIDED' : drift ? 'DRIFTING' : 'NO DRIFT SIGNAL';
}

function unobserved({ signal }: Facts, older: readonly EventSummary[], because: string): Attempt {
  const last = older.find((event) => wordOf(event, signal) !== 'UNOBSERVED' && event.status !== 'queued');
  const before = last ? `; before it: ${wordOf(last, signal)}` : '';
  return { word: 'UNOBSERVED', because: `${because}${before}`, streak: 0 };
}

function countLeading(events: readonly EventSummary[], status: string): number {
  const end = events.findIndex((event) => event.status !== status);
  return end < 0 ? events.length : end;
}

function driftStreak(events: readonly EventSummary[], signal: 'noul' | 'choice'): number {
  const end = events.findIndex((event) => wordOf(event, signal) !== 'DRIFTING');
  return end < 0 ? events.length : end;
}

function describe(event: EventSummary): string {
  if (event.status === 'abstained') return `looked at: ${reasonWords(event.reason)}`;
  if (event.status !== 'completed') return waits(event) ?? reasonWords(event.reason ?? event.status);
  const { choice } = event.judgments;
  if (event.drift_signal.noul === false || event.drift_signal.choice === false)
    return `goal relation ${words(choice?.relation ?? null)}; evidence ${words(choice?.increment ?? null)}`;
  const proof = event.facts.find((fact) => fact.level)?.detail;
  return proof ?? words(event.evaluator);
}

/** A declared wait is neither progress nor drift. */
const waits = ({ facts, reason }: EventSummary): string | null =>
  reason === 'no_delta' && facts.some(({ fact }) => fact === 'waiting')
    ? 'waiting for a required dependency, no declared file changed'
    : null;

const words = (token: string | null): string => (token ?? 'unknown').replaceAll('_', ' ');

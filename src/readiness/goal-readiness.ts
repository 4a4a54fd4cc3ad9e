import type { PolicySignal, ProgressReviewPolicy } from '../contract/policy.ts';
import type { JsonObject } from '../json/json-object.ts';
import type { Agreement } from '../readmodel/agreement.ts';
import type { LabelledEpisode } from '../readmodel/goal-view.ts';
import type { Truth } from '../readmodel/labels.ts';
import type { LabelledEvent } from '../readmodel/status.ts';
import { replayObligations } from '../sentinel/replay-obligations.ts';
import { isNeutral } from '../sentinel/run-row.ts';
import { textOf } from '../sentinel/strip-text.ts';
import { type Share, wilsonShare } from './wilson-interval.ts';

/** After so many durable runs the periodic review looks anyway (seed). */
export const PERIODIC_REVIEW_RUNS = 20;
const REPLAYED_THRESHOLDS = [2, 3, 4, 5] as const;
const DAY_MS = 86_400_000;

/** How one signal fares against the owner's labels. */
export interface SignalReadiness {
  /** Of the transitions labelled on goal that have a verdict, those that were flagged. */
  readonly false_flags: Share;
  /** The same over every transition labelled on goal: what is undecided flags nobody. */
  readonly false_flags_of_all: Share;
  readonly on_goal_without_verdict: number;
  /** Of the transitions labelled drift, those that were flagged. */
  readonly found: Share;
  /** Obligations that assist would have raised over the run history, by drift threshold. */
  readonly obligations_by_threshold: Readonly<Record<number, number>>;
}

/** A labelled drift that was flagged, against the periodic review that would have come anyway. */
export interface LeadTime {
  readonly event_id: string;
  /** Counted from the first run of the history. */
  readonly run: number;
  readonly runs_before_review: number;
  /** Whether it was labelled before the goal's 20th run. */
  readonly labelled_before_run_20: boolean;
}

export interface GoalReadiness {
  readonly receipts: number;
  readonly labels: Readonly<Record<Truth, number>>;
  readonly unlabelled: number;
  /** From the oldest to the newest transition. */
  readonly days_observed: number;
  readonly runs: number;
  readonly signals: Readonly<Record<PolicySignal, SignalReadiness>>;
  readonly lead_times: readonly LeadTime[];
  readonly obligations: readonly ObligationOutcome[];
}

/** What came of one obligation that was really raised. */
export interface ObligationOutcome {
  readonly obligation_id: string;
  readonly opened_at: string;
  /** Null while it is open. */
  readonly turns_until_ack: number | null;
  /** Whether the agent works on another slice since; null where its answer says neither. */
  readonly slice_changed: boolean | null;
  readonly ended: 'acknowledged' | 'not_due' | 'open';
  readonly label: 'right' | 'wrong' | 'unknown' | null;
}

/** Everything that a goal has to show, as it was read. */
export interface GoalRecord {
  /** Newest first, all of them. */
  readonly events: readonly LabelledEvent[];
  readonly receipts: number;
  readonly labels: Readonly<Record<Truth, number>>;
  /** When each label in force was given, by event. */
  readonly labelled_at: ReadonlyMap<string, string>;
  readonly agreement: Readonly<Record<PolicySignal, Agreement>>;
  /** Of the run history, newest first. */
  readonly rows: readonly JsonObject[];
  readonly receipt_documents: readonly object[];
  readonly policy: ProgressReviewPolicy;
  /** Of the basis as it is now; stands in for a pin. */
  readonly contract_revision: string;
  readonly episodes: readonly LabelledEpisode[];
}

/** Works out what one goal shows. Nothing is decided here. */
export function assessGoal(record: GoalRecord): GoalReadiness {
  const { events, policy } = record;
  const runs = record.rows.filter((row) => !isNeutral(row)).toReversed();
  return {
    receipts: record.receipts,
    labels: record.labels,
    unlabelled: events.filter(({ label, files }) => label === null && files.length > 0).length,
    days_observed: daysBetween(events),
    runs: runs.length,
    signals: { noul: assessSignal(record, 'noul'), choice: assessSignal(record, 'choice') },
    lead_times: leadTimes(record, runs),
    obligations: policy.mode === 'assist' ? record.episodes.map(outcomeOf) : [],
  };
}

function daysBetween(events: readonly LabelledEvent[]): number {
  const times = events
    .map(({ run }) => Date.parse(run?.generated_at ?? ''))
    .filter((time) => !Number.isNaN(time));
  if (times.length === 0) return 0;
  const span = times.reduce((a, b) => Math.max(a, b)) - times.reduce((a, b) => Math.min(a, b));
  return Math.floor((span / DAY_MS) * 10) / 10;
}

function assessSignal(record: GoalRecord, signal: PolicySignal): SignalReadiness {
  const { true_positive, false_positive, false_negative, true_negative } = record.agreement[signal];
  const evaluated = false_positive + true_negative;
  return {
    false_flags: wilsonShare(false_positive, evaluated),
    false_flags_of_all: wilsonShare(false_positive, record.labels.on_goal),
    on_goal_without_verdict: record.labels.on_goal - evaluated,
    found: wilsonShare(true_positive, Math.max(record.labels.drift, true_positive + false_negative)),
    obligations_by_threshold: Object.fromEntries(
      REPLAYED_THRESHOLDS.map((threshold) => [threshold, countReviews(record, signal, threshold)]),
    ),
  };
}

function countReviews(
  { rows, receipt_documents, policy, contract_revision: today }: GoalRecord,
  signal: PolicySignal,
  drift_threshold: number,
): number {
  const contract_revision = policy.contract_revision ?? today;
  const replayed = { signal, drift_threshold, contract_revision };
  return replayObligations({ rows, receipts: receipt_documents, policy: replayed }).filter(
    ({ kind }) => kind === 'external_progress_review_drift',
  ).length;
}

/** Runs oldest first. */
function leadTimes(record: GoalRecord, runs: readonly JsonObject[]): LeadTime[] {
  const { signal } = record.policy;
  const ordinal = new Map(runs.map((row, at) => [keyOf(row), at + 1]));
  const twentieth = Date.parse(textOf(runs[PERIODIC_REVIEW_RUNS - 1]?.['generated_at']));
  return record.events
    .filter(({ label, drift_signal }) => label === 'drift' && drift_signal[signal] === true)
    .flatMap(({ event_id, run }) => {
      const at = run ? ordinal.get(keyOf({ ...run })) : undefined;
      if (at === undefined) return [];
      const labelledAt = Date.parse(record.labelled_at.get(event_id) ?? '');
      const early = Number.isNaN(twentieth) || labelledAt < twentieth;
      return {
        event_id,
        run: at,
        runs_before_review: Math.ceil(at / PERIODIC_REVIEW_RUNS) * PERIODIC_REVIEW_RUNS - at,
        labelled_before_run_20: at < PERIODIC_REVIEW_RUNS && early,
      };
    });
}

/** A turn names its run; without one, time and owner do. */
function keyOf(run: JsonObject): string {
  const turn = textOf(run['turn_instance_id']);
  return turn !== ''
    ? `turn ${turn}`
    : JSON.stringify(['generated_at', 'agent_id', 'todo_id'].map((field) => textOf(run[field])));
}

const OTHER_SLICE = ['new_surface', 'new_hypothesis', 'new_probe_family', 'new_runnable_successor'];

function outcomeOf(episode: LabelledEpisode): ObligationOutcome {
  const { obligation_ids, opened_at, closed_by, outcomes, path_outcome, turns_open, label } = episode;
  const changed = outcomes.some((outcome) => OTHER_SLICE.includes(outcome)) || path_outcome === 'replan';
  const kept = path_outcome === 'continue' || path_outcome === 'no_change';
  return {
    obligation_id: obligation_ids.at(-1) ?? '',
    opened_at,
    turns_until_ack: closed_by === 'acknowledged' ? turns_open : null,
    slice_changed: changed ? true : kept ? false : null,
    ended: closed_by ?? 'open',
    label,
  };
}

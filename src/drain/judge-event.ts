import type { Config } from '../contract/config.ts';
import type { DriftEvent } from '../contract/event.ts';
import type { Failure } from '../contract/failure.ts';
import { type JournalEntry, journalSchemaVersion } from '../contract/judged-event.ts';
import type { EvidenceScope } from '../contract/receipt.ts';
import type { Result } from '../contract/result.ts';
import type { EvaluatorFor } from '../evaluate/choose-evaluator.ts';
import type { Evaluation, EvaluationInput } from '../evaluate/evaluator.ts';
import { readOwnFile } from '../json/read-json-file.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { buildReceipt } from '../receipts/build-receipt.ts';
import { scopeEvidence } from '../receipts/scope-evidence.ts';
import type { BoundCriteria } from '../sentinel/criterion-binding.ts';
import { sha256 } from '../spool/lazy-crypto.ts';
import { collectTransition, type TextCache } from './transition-input.ts';
import { turnEndFacts } from './turn-end.ts';

const MAX_GUARDED_BYTES = 16_777_216;

/** What judging one event needs. `now` is epoch milliseconds, `clock` monotonic milliseconds. */
export interface Bench {
  readonly loaded: LoadedObserver;
  readonly evaluatorFor: EvaluatorFor;
  readonly cache: TextCache;
  /** The criteria of this pass, or why they are not to be had; asked for when the first event needs them. */
  readonly criterion: () => Result<BoundCriteria, Failure>;
  readonly now: () => number;
  readonly clock: () => number;
}

/** The same without a state directory: what a worker on another machine has of an observer. */
export interface RemoteBench extends Omit<Bench, 'loaded' | 'cache'> {
  readonly loaded: Pick<LoadedObserver, 'config' | 'basis'>;
  readonly cache: Pick<TextCache, 'read'>;
  /** Why the event no longer speaks of the present contract; null while it does. */
  readonly whyStale: (event: DriftEvent) => string | null;
}

/** Judges one queued event: guards, the evaluator, the guards again (design §7). Never throws for what it judges. */
export async function judgeEvent(bench: Bench, event: DriftEvent): Promise<JournalEntry> {
  const entry = await judgeRemotely(
    { ...bench, whyStale: (queued) => whyStale(bench.loaded, queued) },
    event,
  );
  return { ...entry, facts: [...entry.facts, ...turnEndFacts(event)] };
}

/** {@link judgeEvent} with the guards handed in. */
export async function judgeRemotely(bench: RemoteBench, event: DriftEvent): Promise<JournalEntry> {
  const start = bench.clock();
  const { evaluation, scope } = await evaluateScoped(bench, event);
  return journalEntry(bench, { event, evaluation, scope, elapsedMs: bench.clock() - start });
}

interface Judged {
  readonly event: DriftEvent;
  readonly evaluation: Evaluation;
  readonly scope?: EvidenceScope | null;
  readonly elapsedMs: number;
}

export function journalEntry(
  { loaded, now }: { readonly loaded: Pick<LoadedObserver, 'config'>; readonly now: () => number },
  { event, evaluation, scope = null, elapsedMs }: Judged,
): JournalEntry {
  const { config } = loaded;
  const receipt = buildReceipt(event, evaluation, {
    threshold: config.minimum_label_probability,
    signalRule: config.signal_rule,
    recordedAt: now() / 1_000,
    scope,
    timingNs: { evaluate: Math.max(0, Math.round(elapsedMs * 1e6)) },
  });
  if (receipt === null) throw new Error(`entry ${event.sequence} is no transition`);
  return {
    schema_version: journalSchemaVersion,
    receipt,
    evaluator: evaluation.evaluator,
    facts: evaluation.facts,
    ...(evaluation.engine ? { engine: evaluation.engine } : {}),
  };
}

/** Judges an event by its criteria, where they are to be had and the event is theirs to judge (contract §10). */
async function evaluateScoped(
  bench: RemoteBench,
  event: DriftEvent,
): Promise<{ readonly evaluation: Evaluation; readonly scope: EvidenceScope | null }> {
  const criterion = bench.criterion();
  const not = (reason: string) => ({
    evaluation: unevaluated('not_evaluated', reason, bench.loaded.config),
    scope: null,
  });
  if (!criterion.ok) return not('criterion_basis_unavailable');
  const scoped = scopeEvidence(event, criterion.value.binding);
  if ('refused' in scoped) return not(scoped.refused);
  const evaluation = await evaluateGuarded(bench, event, criterion.value.acceptance);
  return { evaluation, scope: scoped.scope };
}

async function evaluateGuarded(
  bench: RemoteBench,
  event: DriftEvent,
  acceptance: readonly string[],
): Promise<Evaluation> {
  const stale = bench.whyStale(event);
  if (stale) return unevaluated('stale', stale, bench.loaded.config);
  const { files, gaps } = collectTransition(event, bench.cache);
  if (gaps.length > 0) {
    const facts = gaps.map(({ path, why }) => ({ fact: 'incomplete_coverage', path, detail: why }));
    return { ...unevaluated('not_evaluated', 'incomplete_coverage', bench.loaded.config), facts };
  }
  const { revisit, repetition, cycle } = event.chain;
  const evaluation = await runEvaluator(bench, event, {
    basis: { ...bench.loaded.basis, acceptance: [...acceptance] },
    files,
    history: { revisit, repetition, cycle },
    structural: bench.loaded.config.structural,
  });
  const staleNow = bench.whyStale(event);
  return staleNow ? unevaluated('stale', staleNow, bench.loaded.config) : evaluation;
}

async function runEvaluator(
  bench: RemoteBench,
  event: DriftEvent,
  input: EvaluationInput,
): Promise<Evaluation> {
  const guard = async (): Promise<string | null> => bench.whyStale(event);
  try {
    return await bench.evaluatorFor({ eventId: event.event_id, guard })(input);
  } catch (error) {
    const facts = [
      { fact: 'engine_error', detail: error instanceof Error ? error.message.slice(0, 200) : 'unknown' },
    ];
    return { ...unevaluated('failed', 'evaluator_error', bench.loaded.config), facts };
  }
}

/** Why an event no longer speaks of the present contract; null when it does. Reads the files anew each time. */
export function whyStale(loaded: LoadedObserver, event: DriftEvent): string | null {
  const now = readGuards(loaded);
  if (now.contractRevision !== event.contract_revision) return 'contract_revision_changed';
  if (now.configDigest !== event.config_digest || now.epoch !== event.epoch) return 'configuration_changed';
  if (event.run !== null && digestOf(event.run.json_path) !== event.run.record_digest)
    return 'run_record_changed';
  return null;
}

/** What an event must still agree with, as it is on disk at this moment; null where it cannot be read. */
export function readGuards({ observer, layout, configFile }: LoadedObserver) {
  const binding = readOwnFile(layout.observer, MAX_GUARDED_BYTES);
  return {
    contractRevision: digestOf(observer.basis_file),
    configDigest: digestOf(configFile),
    epoch: binding.ok ? epochOf(binding.value) : null,
  };
}

/** Whether an observer that was loaded earlier is still what is on disk. */
export function isCurrent(loaded: LoadedObserver): boolean {
  const now = readGuards(loaded);
  return (
    now.contractRevision === loaded.contractRevision &&
    now.configDigest === loaded.configDigest &&
    now.epoch === loaded.observer.epoch
  );
}

function digestOf(file: string): string | null {
  const read = readOwnFile(file, MAX_GUARDED_BYTES);
  return read.ok ? sha256(read.value) : null;
}

function epochOf(bytes: Buffer): number | null {
  try {
    return (JSON.parse(bytes.toString('utf8')) as { epoch: number }).epoch;
  } catch {
    return null;
  }
}

/** A result that decides nothing and says why. */
export function unevaluated(
  status: 'failed' | 'not_evaluated' | 'stale',
  reason: string,
  { evaluator }: Pick<Config, 'evaluator'>,
): Evaluation {
  return {
    status,
    reason,
    judgments: { choice: null, noul: null },
    facts: [],
    evaluator,
    model: 'none',
    question_version: 'none',
  };
}

import { type GateEvent, type GateTally, type TallyInput, tallyInputSchema } from '../contract/gate.ts';

interface RankedFailure {
  readonly text: string;
  readonly rank: number;
  readonly observed: boolean;
}

interface Counts {
  readonly attempts: number;
  readonly observations: number;
  readonly spawn_failures: number;
}

/**
 * Turns what a gate's sections recorded into one verdict: `{events, debts}` → FAIL when anything failed; else
 * UNOBSERVED when nothing was observed or a note says that something was not; else PASS. Bad input is
 * `{ok: false, reason: 'invalid_tally'}` without a verdict.
 */
export function tallyGate(
  input: unknown,
): GateTally | { readonly ok: false; readonly reason: 'invalid_tally'; readonly field: string } {
  const parsed = tallyInputSchema.safeParse(input);
  if (parsed.success) return tally(parsed.data);
  return { ok: false, reason: 'invalid_tally', field: parsed.error.issues[0]?.path.join('.') ?? '' };
}

/** `tallyGate` for input that is known to be well formed. */
export function tally({ events, debts }: TallyInput): GateTally {
  const counts = countEvents(events);
  const passed = textsOf(events, 'ran');
  const warnings = textsOf(events, 'warn');
  const shared = {
    passed,
    warnings,
    ...counts,
    open_debts: debts.open_debts,
    ...(debts.debt_note ? { debt_note: debts.debt_note } : {}),
  };
  const failures = rankFailures(events);
  if (failures.length > 0) return { ...failed(failures), ...shared };
  const unobserved = unobservedText(events, counts);
  if (unobserved === '')
    return {
      ok: true,
      verdict: 'PASS',
      reason: passReason(passed, warnings),
      unobserved_set: false,
      ...shared,
    };
  return {
    ok: true,
    verdict: 'UNOBSERVED',
    // Without an attempt the note stands alone: "we never checked" must not read like "we checked".
    reason: counts.attempts === 0 ? unobserved : `${unobserved} — ${passReason(passed, warnings)}`,
    unobserved,
    unobserved_set: true,
    ...shared,
  };
}

const count = (events: readonly GateEvent[], name: GateEvent[0]): number =>
  events.filter(([kind]) => kind === name).length;

const countEvents = (events: readonly GateEvent[]): Counts => ({
  attempts: count(events, 'attempted'),
  observations: count(events, 'observed') - count(events, 'unobserve'),
  spawn_failures: count(events, 'spawn_failure'),
});

function textsOf(events: readonly GateEvent[], name: GateEvent[0]): string[] {
  return events.flatMap(([kind, text]) => (kind === name && typeof text === 'string' ? [text] : []));
}

/** Rank first, then the order in which they were recorded (`sort` is stable). */
function rankFailures(events: readonly GateEvent[]): RankedFailure[] {
  const failures = events.flatMap((event): RankedFailure[] =>
    event[0] === 'fail' || event[0] === 'fail_observed'
      ? [{ text: event[1], rank: event[2] ?? 1, observed: event[0] === 'fail_observed' }]
      : [],
  );
  return failures.sort((a, b) => a.rank - b.rank);
}

function failed(failures: readonly RankedFailure[]) {
  const texts = failures.map(({ text }) => text);
  const seen = failures.filter(({ observed }) => observed).map(({ text }) => text);
  const list = texts.map((text, index) => `${index + 1}. ${text}`).join('\n');
  return {
    ok: false,
    verdict: 'FAIL',
    reason:
      texts.length === 1 ? (texts[0] ?? '') : `${texts.length} failures, the weightiest first:\n${list}`,
    failures: texts,
    ...(seen.length > 0 ? { observed_failures: seen } : {}),
    unobserved_set: false,
  } as const;
}

/** The boot note leads, because it names a command that can be run; a trail line is cut after 300 characters. */
function unobservedText(events: readonly GateEvent[], counts: Counts): string {
  const notes = [
    events.findLast(([kind]) => kind === 'boot_unobserved')?.[1] ?? null,
    nothingObserved(counts),
    ...textsOf(events, 'config_gap'),
    ...textsOf(events, 'contract_note'),
  ];
  return notes.filter((note) => note !== null).join(' ');
}

/** The beginning of every text about a run that observed nothing. */
export const unobservedOpening = 'UNOBSERVED — NOT a pass';

function nothingObserved({ attempts, observations }: Counts): string | null {
  if (observations > 0) return null;
  const why =
    attempts === 0
      ? 'there was no command to run'
      : `every one of the ${attempts} commands tried was skipped, so none was seen to pass or fail`;
  return `${unobservedOpening}: ${why}. Nothing shows that the product builds, starts or works.`;
}

function passReason(passed: readonly string[], warnings: readonly string[]): string {
  const what =
    passed.length > 0
      ? `passed: ${passed.map((label) => `\`${label}\``).join(', ')}`
      : 'nothing runnable here';
  return [what, ...warnings.map((warning) => `WARNING: ${warning}`)].join(' — ');
}

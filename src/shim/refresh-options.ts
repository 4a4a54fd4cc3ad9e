import { readIdentityText } from '../contract/identity-text.ts';

/** What stands between `refresh` and the first `--`, and in the environment. */
export interface RefreshOptions {
  readonly stateDir: string | undefined;
  readonly config: string | undefined;
  readonly agentId: string | null;
  readonly todoId: string | null;
  readonly turnId: string | null;
  readonly explain: boolean;
  /** Path of a JSON file with the agent's vision. */
  readonly vision: string | null;
  readonly sessionLog: string | null;
  /** A typed claim, raw (contract §2): keys as in the observation, without the prefix of the flag. */
  readonly claim: Readonly<Record<string, unknown>> | null;
  /** Words that are no option of refresh, or lack their value; the command runs all the same. */
  readonly unknown: readonly string[];
}

/** The options of `drift refresh` by their flag; `drift refresh --help` shows the same list. */
export const refreshFlags = {
  'state-dir': 'where the observer lives (DRIFT_STATE_DIR)',
  config: 'another config.json (DRIFT_CONFIG)',
  'agent-id': 'who worked (DRIFT_AGENT_ID)',
  'todo-id': 'what was worked on (DRIFT_TODO_ID)',
  'turn-id': 'which turn this ends (DRIFT_TURN_ID)',
  vision: 'JSON file with an evidence-linked vision path',
  'session-log': 'session log of the agent; its end is judged by drain',
  'progress-result-class': 'typed claim: advanced, unchanged, blocked, exploration_exhausted or no_followup',
  'progress-surface-id': 'typed claim: surface',
  'progress-hypothesis-id': 'typed claim: hypothesis',
  'progress-probe-kind': 'typed claim: probe',
  'progress-blocker-id': 'typed claim: blocker',
  'progress-coverage-scope-id': 'typed claim: what the coverage is of',
  'progress-evidence-id': 'typed claim: one piece of evidence; repeat for more',
} as const;

export const refreshSwitches = {
  explain: 'say on stderr what was found and captured, or why not',
  'progress-coverage-complete': 'typed claim: the coverage is complete',
} as const;

/** Reads the options by hand: no parser may be loaded before the command starts, and none may stop it. */
export function readRefreshOptions(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): RefreshOptions {
  const { values, switches, unknown } = sortWords(words);
  const last = (flag: string): string | undefined => values.get(flag)?.at(-1);
  const identity = (flag: string, variable: string): string | null =>
    readIdentityText(last(flag) ?? env[variable]);
  return {
    stateDir: last('state-dir'),
    config: last('config'),
    agentId: identity('agent-id', 'DRIFT_AGENT_ID'),
    todoId: identity('todo-id', 'DRIFT_TODO_ID'),
    turnId: identity('turn-id', 'DRIFT_TURN_ID'),
    explain: switches.has('explain'),
    vision: last('vision') ?? null,
    sessionLog: last('session-log') ?? null,
    claim: readClaim(values, switches),
    unknown,
  };
}

interface Sorted {
  readonly values: Map<string, string[]>;
  readonly switches: Set<string>;
  readonly unknown: string[];
}

function sortWords(words: readonly string[]): Sorted {
  const sorted: Sorted = { values: new Map(), switches: new Set(), unknown: [] };
  let flagWithoutValue: string | null = null;
  for (const word of words) {
    if (flagWithoutValue !== null) {
      addValue(sorted, flagWithoutValue, word);
      flagWithoutValue = null;
      continue;
    }
    const [, flag = '', value] = /^--([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (Object.hasOwn(refreshFlags, flag)) {
      if (value === undefined) flagWithoutValue = flag;
      else addValue(sorted, flag, value);
    } else if (Object.hasOwn(refreshSwitches, flag) && value === undefined) sorted.switches.add(flag);
    else sorted.unknown.push(word);
  }
  if (flagWithoutValue !== null) sorted.unknown.push(`--${flagWithoutValue}`);
  return sorted;
}

function addValue({ values }: Sorted, flag: string, value: string): void {
  values.set(flag, [...(values.get(flag) ?? []), value]);
}

function readClaim(
  values: ReadonlyMap<string, readonly string[]>,
  switches: ReadonlySet<string>,
): Record<string, unknown> | null {
  const claim: Record<string, unknown> = {};
  for (const key of [
    'result_class',
    'surface_id',
    'hypothesis_id',
    'probe_kind',
    'blocker_id',
    'coverage_scope_id',
  ]) {
    const value = values.get(`progress-${key.replaceAll('_', '-')}`)?.at(-1);
    if (value !== undefined) claim[key] = value;
  }
  const evidence = values.get('progress-evidence-id');
  if (evidence) claim['evidence_ids'] = evidence;
  if (switches.has('progress-coverage-complete')) claim['coverage_complete'] = true;
  return Object.keys(claim).length > 0 ? claim : null;
}

import { basename, join } from 'node:path';
import type { Failure } from '../contract/failure.ts';
import type { Finding } from '../contract/finding.ts';
import type { Result } from '../contract/result.ts';
import { readDrainMode } from '../drain/drain-mode.ts';
import { readGoalPolicy, readGoalReview, type Where } from '../goal/goal-review.ts';
import { openObligations } from '../goal/open-obligations.ts';
import { readOwnFile } from '../json/read-json-file.ts';
import { checkFormat, type LoadedObserver } from '../observer/load-observer.ts';
import { Journal } from '../spool/receipt-journal.ts';
import { nodeIo } from '../spool/spool-io.ts';
import { type StateLayout, stateLayout } from '../spool/state-layout.ts';
import { findTail } from '../spool/tail.ts';
import { walkChain } from './chain-walk.ts';
import { examineLines, examineLock, examineMarks } from './examine-marks.ts';
import { findUnfinished, findWrongReceipt } from './examine-results.ts';
import { examineFiles, namesIn } from './examine-state.ts';
import {
  examineBinding,
  examineFilesystem,
  examineSecrets,
  type Filesystem,
  type SecretPresence,
} from './examine-surroundings.ts';
import { findDamagedTexts, findMissingTexts } from './examine-texts.ts';

const MAX_DIAGNOSTICS_BYTES = 1_048_576;
const SHOWN_DIAGNOSTICS = 10;

/** An exit of an open obligation and whether its rules would let it through. */
interface CheckedExit {
  readonly obligation_id: string;
  readonly outcome: string;
  readonly reachable: boolean;
}

/** Everything that doctor has seen of one state directory. */
export interface Examination {
  readonly state: string;
  readonly findings: readonly Finding[];
  readonly entries: number;
  /** The last entry that a drain has finished, -1 when none is. */
  readonly judgedThrough: number;
  readonly filesystem: Filesystem;
  readonly secrets: readonly SecretPresence[];
  readonly exits: readonly CheckedExit[];
  /** The newest lines that refresh has left about itself. */
  readonly diagnostics: readonly string[];
}

interface Request {
  readonly state: string;
  /** The observer, or why it cannot be loaded: then only its chain is looked at. */
  readonly loaded: Result<LoadedObserver, Failure>;
  readonly where: Where;
  readonly onProgress?: ((sequence: number, tail: number) => void) | undefined;
}

/**
 * Looks at everything that one observer has on disk and names what is damaged. It reads every entry, result and receipt,
 * and changes nothing; a refresh or a drain may be at work meanwhile.
 */
export function examine({ state, loaded, where, onProgress }: Request): Examination {
  const layout = stateLayout(state);
  const tail = findTail(nodeIo, layout);
  const { filesystem, findings: ofDisk } = examineFilesystem(layout, state);
  const marks = examineMarks(layout, tail);
  const ofChain = examineChain(layout, { tail, through: marks.judgedThrough, loaded, onProgress });
  const mode = readDrainMode(layout);
  const { secrets, findings: ofSecrets } = loaded.ok
    ? examineSecrets(loaded.value.config, where.env, mode.ok && mode.value.mode === 'shipped')
    : { secrets: [], findings: [] };
  const { exits, findings: ofExits } = loaded.ok
    ? examineExits(loaded.value, where)
    : { exits: [], findings: [] };
  return {
    state,
    findings: [
      ...(loaded.ok ? examineBinding(loaded.value) : [loaded.failure]),
      ...ofDisk,
      ...(mode.ok ? [] : [mode.failure]),
      ...examineFiles(layout, state),
      ...examineLock(layout),
      ...marks.findings,
      ...examineLines(layout),
      ...ofChain,
      ...ofSecrets,
      ...ofExits,
    ],
    entries: tail + 1,
    judgedThrough: marks.judgedThrough,
    filesystem,
    secrets,
    exits,
    diagnostics: readDiagnostics(layout),
  };
}

function examineChain(
  layout: StateLayout,
  {
    tail,
    through,
    loaded,
    onProgress,
  }: Pick<Request, 'loaded' | 'onProgress'> & { readonly tail: number; readonly through: number },
): Finding[] {
  const findings: Finding[] = [];
  const journal = new Journal(nodeIo, layout);
  const goal = loaded.ok ? loaded.value.goal : null;
  const known = new Set<string>();
  walkChain(nodeIo, layout, tail, {
    find: (finding) => void findings.push(finding),
    intact: (stored) => {
      const { sequence, event_id, run, status } = stored.event;
      const isFinished = sequence <= through;
      if (run !== null) known.add(`${event_id}.json`);
      findings.push(...findDamagedTexts(layout, stored));
      if (sequence === tail || (!isFinished && status === 'queued'))
        findings.push(...findMissingTexts(layout, stored, isFinished ? 'after' : 'both'));
      if (isFinished) findings.push(...findUnfinished(layout, { stored, journal }));
      const receipt = goal && findWrongReceipt(goal, { stored, journal, isFinished });
      if (receipt) findings.push(receipt);
    },
    progress: onProgress && ((sequence) => onProgress(sequence, tail)),
  });
  return loaded.ok ? [...findings, ...strangeReceipts(loaded.value, known)] : findings;
}

/** In a runtime of the observer's own nobody else writes; in a shared one, other observers' receipts are welcome. */
function strangeReceipts({ goal, observer, layout }: LoadedObserver, known: ReadonlySet<string>): Finding[] {
  const isShared = observer.receipts === 'goal_runtime';
  const ofDamaged = new Set(namesIn(join(layout.markers, 'id')).map((id) => `${id}.json`));
  return namesIn(goal.receipts)
    .filter((name) => !known.has(name) && !ofDamaged.has(name))
    .filter((name) => !(isShared && /^[0-9a-f]{64}\.json$/.test(name)))
    .map((name) => ({ reason: 'stranger', file: join(goal.receipts, basename(name)) }));
}

/** Every exit that an obligation offers must be one that its rules let through. */
function examineExits(
  loaded: LoadedObserver,
  where: Where,
): { readonly exits: readonly CheckedExit[]; readonly findings: readonly Finding[] } {
  const review = readGoalReview(loaded, readGoalPolicy(loaded, where));
  const obligations = review ? openObligations(loaded, review) : [];
  const exits = obligations.flatMap(({ obligation_id, requirements, exits: offered }) =>
    requirements.required_any_of.map((outcome) => ({
      obligation_id,
      outcome,
      reachable: offered.some((exit) => exit.outcome === outcome),
    })),
  );
  const closed = obligations.filter(({ exits: offered }) => offered.length === 0);
  return {
    exits,
    findings: closed.map(({ obligation_id }) => ({ reason: 'exit_unreachable', field: obligation_id })),
  };
}

function readDiagnostics({ diagnostics }: StateLayout): string[] {
  const read = readOwnFile(diagnostics, MAX_DIAGNOSTICS_BYTES);
  return read.ok ? read.value.toString('utf8').split('\n').filter(Boolean).slice(-SHOWN_DIAGNOSTICS) : [];
}

/** Whether a state's format is today's; another one is moved by `--migrate`, where this version knows the way. */
export const examineFormat = (state: string): Result<null, Failure> => checkFormat(stateLayout(state), state);

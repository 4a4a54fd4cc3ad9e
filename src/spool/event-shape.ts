import { type DriftEvent, eventStatuses, type FileState } from '../contract/event.ts';

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isDigest = (value: unknown): boolean => isText(value) && /^[0-9a-f]{64}$/.test(value);
const orNull =
  (check: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === null || check(value);

const isDigestOrNull = orNull(isDigest);
const isTextOrNull = orNull(isText);

const isTextPlace = (value: unknown): boolean =>
  isObject(value) && isCount(value['sequence']) && isCount(value['offset']);

const isStat = (value: unknown): boolean =>
  isObject(value) &&
  isCount(value['size']) &&
  Number.isFinite(value['mtime_ms']) &&
  Number.isFinite(value['ctime_ms']) &&
  Number.isFinite(value['ino']);

const isTextPlaceOrNull = orNull(isTextPlace);
const isStatOrNull = orNull(isStat);
const roles: ReadonlySet<unknown> = new Set(['declared', 'evidence']);
const states: ReadonlySet<unknown> = new Set(['text', 'missing', 'unreadable']);
const statesBefore: ReadonlySet<unknown> = new Set(['text', 'unreadable']);

const isFile = (value: unknown): value is FileState =>
  isObject(value) &&
  isText(value['path']) &&
  roles.has(value['role']) &&
  states.has(value['state']) &&
  isDigestOrNull(value['sha256']) &&
  isStatOrNull(value['stat']) &&
  isTextPlaceOrNull(value['text']) &&
  (value['before'] === undefined || isBefore(value['before']));

const isBefore = (value: unknown): boolean =>
  isObject(value) &&
  statesBefore.has(value['state']) &&
  isDigestOrNull(value['sha256']) &&
  isCount(value['size']) &&
  isTextPlaceOrNull(value['text']);

const isRun = (value: unknown): boolean =>
  isObject(value) &&
  isText(value['generated_at']) &&
  isText(value['json_path']) &&
  isDigest(value['record_digest']) &&
  ['turn_instance_id', 'agent_id', 'todo_id'].every((key) => isTextOrNull(value[key]));

const isChain = (value: unknown, sequence: number): boolean =>
  isObject(value) &&
  ['start', 'state_visits', 'repetition'].every((key) => isCount(value[key])) &&
  (value['start'] as number) <= sequence;

/**
 * Whether a value has the shape that everything behind relies on. A digest proves that nothing was flipped, not that
 * drift wrote it; an entry that somebody made up must not bring anybody down.
 */
export function isEvent(value: unknown): value is DriftEvent {
  if (!isObject(value) || !isCount(value['sequence'])) return false;
  const { sequence, totals, files } = value;
  return (
    ['event_id', 'evidence_id', 'contract_revision', 'config_digest', 'state_digest', 'change_digest'].every(
      (key) => isDigest(value[key]),
    ) &&
    ['observer_id', 'goal_id', 'captured_at', 'host'].every((key) => isText(value[key])) &&
    isDigestOrNull(value['prev']) &&
    isTextOrNull(value['ref']) &&
    (eventStatuses as readonly unknown[]).includes(value['status']) &&
    isCount(value['epoch']) &&
    isCount(value['failures_seen']) &&
    isChain(value['chain'], sequence) &&
    orNull(isRun)(value['run']) &&
    (value['run'] !== null || value['status'] === 'checkpoint') &&
    orNull(isObject)(value['command']) &&
    isObject(totals) &&
    eventStatuses.every((status) => isCount(totals[status])) &&
    Array.isArray(files) &&
    files.every(isFile)
  );
}

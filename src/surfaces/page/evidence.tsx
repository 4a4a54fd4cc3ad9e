import type { EvidenceScope } from '../../contract/receipt.ts';
import type { GoalHead } from '../../readmodel/goal-view.ts';
import type { StatusDocument } from '../../readmodel/status.ts';
import { timeOf } from './event-words.ts';
import { useWords } from './words/use-words.ts';

interface Props {
  readonly head: GoalHead;
  readonly status: StatusDocument;
}

/** What stands behind the verdicts: receipts as they are, criterion, coverage, backlog. Nothing is rounded up. */
export function Evidence({ head, status }: Props) {
  const words = useWords();
  const review = status.external_progress_review;
  return (
    <section class="panel">
      <h2>{words.evidence}</h2>
      <dl>
        <dt>{words.readState}</dt>
        <dd>{words.readStates[review?.read_state ?? 'missing']}</dd>
        <dt>{words.receipts}</dt>
        <dd>
          {review?.receipt_count ?? 0} · {words.pending} {review?.pending_receipts ?? 0} · {words.stale}{' '}
          {review?.stale_receipts ?? 0} · {words.rejected} {review?.rejected_receipts ?? 0} · {words.missing}{' '}
          {status.unevaluated['missing'] ?? 0}
        </dd>
        <dt>{words.unevaluated}</dt>
        <dd>{counted(status.unevaluated, words.unevaluatedReasons) || words.none}</dd>
        <dt>{words.criterion}</dt>
        <dd>
          <Criterion latest={review?.latest ?? null} />
        </dd>
        <dt>{words.revision}</dt>
        <dd>
          <code>{head.contract_revision}</code>
          {review?.rebind_hint && <p class="hint">{words.rebindHint}</p>}
        </dd>
        <dt>{words.pin}</dt>
        <dd>
          <Pin head={head} />
        </dd>
        <dt>{words.backlog}</dt>
        <dd>
          {words.backlogWords(status.backlog.queued, ageOf(status.backlog.oldest_age_seconds))} ·{' '}
          {words.drain}{' '}
          {status.drain.busy
            ? words.drainBusy
            : status.drain.last_run_at
              ? words.drainAt(timeOf(status.drain.last_run_at, words))
              : words.drainNever}
        </dd>
        <dt>{words.captureFailures}</dt>
        <dd>{counted(status.capture_failures.by_reason) || words.none}</dd>
      </dl>
      <Coverage status={status} />
    </section>
  );
}

function Criterion({ latest }: { readonly latest: object | null }) {
  const words = useWords();
  const { evidence_scope: scope, criterion_current: current } = (latest ?? {}) as {
    readonly evidence_scope?: EvidenceScope;
    readonly criterion_current?: boolean;
  };
  return (
    <>
      {words.origins[scope?.criterion_binding.origin ?? 'none']}
      {current === false && <p class="hint tone-drift">{words.criterionWithdrawn}</p>}
    </>
  );
}

function Pin({ head }: { readonly head: GoalHead }) {
  const words = useWords();
  const pin = head.policy.contract_revision;
  if (pin === null) return <>{words.notPinned}</>;
  return (
    <>
      <code>{pin}</code>
      {pin !== head.contract_revision && <p class="hint">{words.pinDiffers}</p>}
    </>
  );
}

interface Seen {
  readonly state: string;
  readonly reason?: string;
  readonly size_bytes: number | null;
}

function Coverage({ status }: { readonly status: StatusDocument }) {
  const words = useWords();
  const files = Object.entries(status.coverage) as [string, Seen][];
  const stateOf = ({ state, reason }: Seen): string => {
    const name = words.fileStates[state] ?? state;
    return reason ? `${name} (${reason.replaceAll('_', ' ')})` : name;
  };
  return (
    <details open={files.length <= 8}>
      <summary>
        {words.coverage}: {files.length}
      </summary>
      <div class="table">
        <table class="compact">
          <thead>
            <tr>
              {words.coverageHead.map((name, at) => (
                <th key={name} scope="col" class={at === 2 ? 'number' : ''}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {files.map(([path, seen]) => (
              <tr key={path}>
                <td class="mono">{path}</td>
                <td>{stateOf(seen)}</td>
                <td class="number">{seen.size_bytes ?? '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

const counted = (
  counts: Readonly<Record<string, number>>,
  names: Readonly<Record<string, string>> = {},
): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${names[name] ?? name.replaceAll('_', ' ')} ${count}`)
    .join(', ');

function ageOf(seconds: number | null): string {
  if (seconds === null) return '?';
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

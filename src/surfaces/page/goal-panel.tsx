import { useCallback, useMemo, useState } from 'preact/hooks';
import type { GoalEvidence, GoalHead } from '../../readmodel/goal-view.ts';
import type { Truth } from '../../readmodel/labels.ts';
import type { LabelledEvent } from '../../readmodel/status.ts';
import { AgreementTable } from './agreement-table.tsx';
import type { Api, GoalAnswer, PolicyWish } from './api.ts';
import { EventTable } from './event-table.tsx';
import { turnOf } from './event-words.ts';
import { Evidence } from './evidence.tsx';
import { Obligations } from './obligations.tsx';
import { PolicyEditor } from './policy-editor.tsx';
import { Timeline } from './timeline.tsx';
import { TwoFacts } from './two-facts.tsx';
import { Verdict } from './verdict.tsx';
import { useWords } from './words/use-words.ts';

interface Props {
  readonly goal: GoalAnswer;
  readonly api: Api;
  readonly onWritten: () => Promise<void>;
}

/** One goal: its evidence where it is read, and its policy. */
export function GoalPanel({ goal, api, onWritten }: Props) {
  const words = useWords();
  const { key, goal_id: id } = goal.head;
  const onPolicy = useCallback(
    async (wish: PolicyWish, execute: boolean) => {
      const answer = await api.setPolicy(key, wish, execute);
      if (execute) await onWritten();
      return answer;
    },
    [api, key, onWritten],
  );
  return (
    <article aria-label={id}>
      <h2 class="goal">
        {words.report.goal}: {id}
      </h2>
      {goal.read === 'observed' && <p class="objective">{goal.evidence.objective}</p>}
      {goal.read === 'unavailable' && (
        <p class="notice bad" role="alert">
          <strong>{words.unavailable}.</strong> {goal.message} {goal.hint} {words.unavailableNote}
        </p>
      )}
      {goal.read === 'off' && (
        <p class="notice">{goal.head.policy.mode === 'off' ? words.off : words.observerOff}</p>
      )}
      {goal.read === 'observed' && (
        <Observed head={goal.head} evidence={goal.evidence} api={api} onWritten={onWritten} />
      )}
      {goal.read !== 'unavailable' && <PolicyEditor head={goal.head} onPolicy={onPolicy} />}
    </article>
  );
}

interface ObservedProps {
  readonly head: GoalHead;
  readonly evidence: GoalEvidence;
  readonly api: Api;
  readonly onWritten: () => Promise<void>;
}

function Observed({ head, evidence, api, onWritten }: ObservedProps) {
  const words = useWords();
  const { status, obligation_history: episodes } = evidence;
  const { signal } = head.policy;
  const [said, setSaid] = useState('');
  const oldestFirst = useMemo(() => status.events.toReversed(), [status.events]);
  const onLabel = async (event: LabelledEvent, truth: Truth | null): Promise<void> => {
    try {
      await api.label(head.key, event.event_id, truth);
      setSaid(truth ? words.labelled(turnOf(event), words.labels[truth]) : words.unlabelled(turnOf(event)));
      await onWritten();
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error));
    }
  };
  const loadDetail = useCallback(
    (event: LabelledEvent) => api.readEvent(head.key, event.event_id),
    [api, head.key],
  );
  return (
    <>
      <section class="panel">
        <Verdict status={status} />
      </section>
      <TwoFacts status={status} />
      <Obligations status={status} />
      <Timeline
        events={oldestFirst}
        episodes={episodes}
        signal={signal}
        threshold={head.label_probability_threshold}
      />
      <section class="panel">
        <h2>{words.events}</h2>
        <p class="hint">{words.eventsHint}</p>
        <p role="status" class="hint">
          {said}
        </p>
        <EventTable events={status.events} signal={signal} onLabel={onLabel} loadDetail={loadDetail} />
      </section>
      <section class="panel">
        <h2>{words.agreement}</h2>
        <AgreementTable agreement={status.label_agreement} onGoal={status.label_counts.on_goal} />
      </section>
      <Evidence head={head} status={status} />
    </>
  );
}

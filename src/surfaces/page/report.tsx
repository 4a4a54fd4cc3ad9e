import { render } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ReportContent } from '../report/render-report.ts';
import { AgreementTable } from './agreement-table.tsx';
import { EventTable } from './event-table.tsx';
import { Evidence } from './evidence.tsx';
import { Frame } from './frame.tsx';
import { ObligationHistory } from './obligation-history.tsx';
import { Obligations } from './obligations.tsx';
import { agreementOf, replayAt } from './replay-threshold.ts';
import { repaintEvent, Timeline } from './timeline.tsx';
import { TwoFacts } from './two-facts.tsx';
import { Verdict } from './verdict.tsx';
import { useWords } from './words/use-words.ts';

function Report({ content }: { readonly content: ReportContent }) {
  const words = useWords();
  const { head, evidence } = content;
  const { status, obligation_history: episodes } = evidence;
  const [threshold, setThreshold] = useState(head.label_probability_threshold);
  const rule = head.signal_rule;
  const events = useMemo(
    () => replayAt(status.events, { threshold, rule }),
    [status.events, threshold, rule],
  );
  const oldestFirst = useMemo(() => events.toReversed(), [events]);
  const agreement = useMemo(() => agreementOf(events), [events]);
  const onGoal = events.filter(({ label }) => label === 'on_goal').length;
  const { signal } = head.policy;
  usePaperColours();
  return (
    <>
      <p class="hint">
        {words.report.generated(new Date(content.generated_at).toLocaleString(words.language))} ·{' '}
        {words.report.private}
        {content.events_in_all > status.events.length &&
          ` ${words.report.truncated(status.events.length, content.events_in_all)}`}
      </p>
      <section class="panel">
        <h2>
          {words.report.goal}: {head.goal_id}
        </h2>
        <p>{evidence.objective}</p>
        <h3>{words.report.acceptance}</h3>
        <ul class="plain">
          {evidence.acceptance.map((criterion) => (
            <li key={criterion}>{criterion}</li>
          ))}
        </ul>
      </section>
      <section class="panel">
        <Verdict status={status} />
      </section>
      <TwoFacts status={status} />
      <Obligations status={status} />
      <Timeline events={oldestFirst} episodes={episodes} signal={signal} threshold={threshold} />
      <section class="panel">
        <h2>
          <label for="threshold">{words.report.slider}</label>
        </h2>
        <div class="slider">
          <input
            id="threshold"
            type="range"
            min="0.5"
            max="1"
            step="0.01"
            value={threshold}
            onInput={(event) => setThreshold(Number(event.currentTarget.value))}
          />
          <output for="threshold">{threshold.toFixed(2)}</output>
        </div>
        <p class="hint">{words.report.sliderNote(head.label_probability_threshold.toFixed(2))}</p>
        <h3>{words.agreement}</h3>
        <AgreementTable agreement={agreement} onGoal={onGoal} />
      </section>
      <ObligationHistory episodes={episodes} mode={head.policy.mode} />
      <section class="panel">
        <h2>{words.events}</h2>
        <EventTable events={events} signal={signal} />
      </section>
      <Evidence head={head} status={status} />
    </>
  );
}

/** Paper is light: the chart is drawn anew for it and again afterwards. */
function usePaperColours(): void {
  useEffect(() => {
    const { dataset } = document.documentElement;
    let before: string | undefined;
    const light = (): void => {
      before = dataset['theme'];
      dataset['theme'] = 'light';
      dispatchEvent(new Event(repaintEvent));
    };
    const back = (): void => {
      if (before === undefined) delete dataset['theme'];
      else dataset['theme'] = before;
      dispatchEvent(new Event(repaintEvent));
    };
    addEventListener('beforeprint', light);
    addEventListener('afterprint', back);
    return () => {
      removeEventListener('beforeprint', light);
      removeEventListener('afterprint', back);
    };
  }, []);
}

const source = document.getElementById('report')?.textContent ?? 'null';
const root = document.getElementById('page');
if (root) {
  const content = JSON.parse(source) as ReportContent;
  root.replaceChildren();
  render(
    <Frame
      title={(words) => `${words.reportTitle}: ${content.head.goal_id}`}
      breadcrumb={(words) => words.title}
    >
      <Report content={content} />
    </Frame>,
    root,
  );
}

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { LabelledEvent } from '../../readmodel/status.ts';
import { signOf, turnOf, verdictOf } from './event-words.ts';
import { drawTimeline, type TimelineInput, widthFor } from './timeline-chart.ts';
import { useWords } from './words/use-words.ts';

export const repaintEvent = 'drift-repaint';

/** The chart; the table of transitions says the same to whoever cannot see it. */
export function Timeline(input: Omit<TimelineInput, 'words' | 'onPoint'>) {
  const words = useWords();
  const { events, signal } = input;
  const [pointed, setPointed] = useState<LabelledEvent | null>(null);
  const onPoint = useCallback((event: LabelledEvent | null) => setPointed(event), []);
  const target = useChart({ ...input, words, onPoint });
  const drift = events.filter((event) => event.drift_signal[signal] === true).length;
  const undecided = events.filter((event) => event.drift_signal[signal] === null).length;
  return (
    <section class="panel">
      <h2>{words.timeline}</h2>
      {events.length === 0 ? (
        <p class="quiet">{words.noEvents}</p>
      ) : (
        <>
          <div
            class="chart"
            ref={target}
            role="img"
            aria-label={words.timelineSummary(events.length, drift, undecided)}
          />
          {pointed ? <Readout event={pointed} signal={signal} /> : <Legend />}
        </>
      )}
      <p class="hint">{words.timelineNote}</p>
    </section>
  );
}

/** Keeps a chart of what is given in the element that the reference is put on. */
function useChart(input: TimelineInput) {
  const target = useRef<HTMLDivElement>(null);
  const { events, episodes, signal, threshold, words, onPoint } = input;
  useEffect(() => {
    const box = target.current;
    if (!box || events.length === 0) return;
    const draw = () => drawTimeline(box, { events, episodes, signal, threshold, words, onPoint });
    let chart = draw();
    const redraw = (): void => {
      chart.destroy();
      chart = draw();
    };
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const resize = new ResizeObserver(() => chart.setSize({ width: widthFor(box), height: chart.height }));
    resize.observe(box);
    scheme.addEventListener('change', redraw);
    addEventListener(repaintEvent, redraw);
    return () => {
      resize.disconnect();
      scheme.removeEventListener('change', redraw);
      removeEventListener(repaintEvent, redraw);
      chart.destroy();
    };
  }, [events, episodes, signal, threshold, words, onPoint]);
  return target;
}

function Legend() {
  const { series, recorded } = useWords();
  return (
    <p class="legend">
      <span class="part">
        <b class="tone-accent">●</b> {series.serves_acceptance}
      </span>{' '}
      <span class="part">
        <b class="tone-calm">◆</b> {series.evidence_increment}
      </span>{' '}
      <span class="part">
        <b class="quiet">□</b> {series.behavior_change} ({recorded})
      </span>
    </p>
  );
}

/** The transition under the pointer, in the legend's place. */
function Readout({
  event,
  signal,
}: {
  readonly event: LabelledEvent;
  readonly signal: TimelineInput['signal'];
}) {
  const words = useWords();
  const { noul } = event.judgments;
  const value = (name: keyof typeof words.series): string => (noul?.[name] ?? null)?.toFixed(2) ?? '–';
  return (
    <p class="legend">
      <span class="part">
        <b>
          #{event.sequence} {turnOf(event)}
        </b>{' '}
        {signOf(event, signal)} {verdictOf(event, signal, words)}
      </span>{' '}
      <span class="part">
        <b class="tone-accent">●</b> {value('serves_acceptance')}
      </span>{' '}
      <span class="part">
        <b class="tone-calm">◆</b> {value('evidence_increment')}
      </span>{' '}
      <span class="part">
        <b class="quiet">□</b> {value('behavior_change')}
      </span>
    </p>
  );
}

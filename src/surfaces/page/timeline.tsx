import { useEffect, useRef } from 'preact/hooks';
import { drawTimeline, type TimelineInput, widthFor } from './timeline-chart.ts';
import { useWords } from './words/use-words.ts';

export const repaintEvent = 'drift-repaint';

/** The chart; the table of transitions says the same to whoever cannot see it. */
export function Timeline(input: Omit<TimelineInput, 'words'>) {
  const words = useWords();
  const target = useRef<HTMLDivElement>(null);
  const { events, episodes, signal, threshold } = input;

  useEffect(() => {
    const box = target.current;
    if (!box || events.length === 0) return;
    let chart = drawTimeline(box, { events, episodes, signal, threshold, words });
    const redraw = (): void => {
      chart.destroy();
      chart = drawTimeline(box, { events, episodes, signal, threshold, words });
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
  }, [events, episodes, signal, threshold, words]);

  const drift = events.filter((event) => event.drift_signal[signal] === true).length;
  const undecided = events.filter((event) => event.drift_signal[signal] === null).length;
  return (
    <section class="panel">
      <h2>{words.timeline}</h2>
      {events.length === 0 ? (
        <p class="quiet">{words.noEvents}</p>
      ) : (
        <div
          class="chart"
          ref={target}
          role="img"
          aria-label={words.timelineSummary(events.length, drift, undecided)}
        />
      )}
      <p class="hint">{words.timelineNote}</p>
    </section>
  );
}

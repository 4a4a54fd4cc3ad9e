import uPlot from 'uplot';
import type { LabelledEpisode } from '../../readmodel/goal-view.ts';
import type { LabelledEvent } from '../../readmodel/status.ts';
import { type Palette, readPalette } from './palette.ts';
import { drawMarks, lanes } from './timeline-marks.ts';
import type { Words } from './words/en.ts';

export interface TimelineInput {
  /** Oldest first. */
  readonly events: readonly LabelledEvent[];
  readonly episodes: readonly LabelledEpisode[];
  readonly signal: 'noul' | 'choice';
  readonly threshold: number;
  readonly words: Words;
  /** Called with the transition under the pointer, and with null when it leaves the chart. */
  readonly onPoint: (event: LabelledEvent | null) => void;
}

const HEIGHT_PX = 280;
const MIN_WIDTH_PX = 240;
const TICK_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];
const PROBABILITY_TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1];

export const widthFor = (target: HTMLElement): number => Math.max(MIN_WIDTH_PX, target.clientWidth);

/**
 * Draws the probabilities of the transitions, and below them a lane of verdicts and one of labels. The library keeps
 * scales, axes and pointer; the marks are ours, because values that nearly agree must stand beside each other.
 */
export function drawTimeline(target: HTMLElement, input: TimelineInput): uPlot {
  const palette = readPalette();
  const { events, onPoint } = input;
  const unseen: uPlot.Series = { show: true, paths: () => null, points: { show: false } };
  const options: uPlot.Options = {
    width: widthFor(target),
    height: HEIGHT_PX,
    padding: [24, 52, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: [-0.6, Math.max(0.6, events.length - 0.4)] },
      y: { range: [lanes.label - 0.08, 1.16] },
    },
    axes: axesFor(input, palette),
    series: [{}, unseen],
    hooks: {
      draw: [(chart) => drawMarks(chart, input, palette)],
      setCursor: [({ cursor: { idx } }) => onPoint(typeof idx === 'number' ? (events[idx] ?? null) : null)],
    },
  };
  const positions = events.map((_, at) => at);
  return new uPlot(options, [positions, positions.map(() => 0)], target);
}

function axesFor({ events, words }: TimelineInput, palette: Palette): uPlot.Axis[] {
  const axis: uPlot.Axis = {
    stroke: palette.quiet,
    grid: { stroke: palette.line, width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
  const sequence = (at: number): string => (events[at] ? `#${events[at].sequence}` : '');
  const nameOf = (tick: number): string => {
    if (tick === lanes.verdict) return words.lanes.verdict;
    return tick === lanes.label ? words.lanes.label : tick.toFixed(1);
  };
  return [
    {
      ...axis,
      grid: { show: false },
      size: 26,
      gap: 2,
      incrs: TICK_STEPS,
      values: (_, ticks) => ticks.map(sequence),
    },
    {
      ...axis,
      size: 58,
      splits: [lanes.label, lanes.verdict, ...PROBABILITY_TICKS],
      values: (_, ticks) => ticks.map(nameOf),
    },
  ];
}

import uPlot from 'uplot';
import type { LabelledEpisode } from '../../readmodel/goal-view.ts';
import type { LabelledEvent } from '../../readmodel/status.ts';
import { turnOf } from './event-words.ts';
import { type Palette, readPalette } from './palette.ts';
import { drawMarks } from './timeline-marks.ts';
import type { Words } from './words/en.ts';

export interface TimelineInput {
  /** Oldest first. */
  readonly events: readonly LabelledEvent[];
  readonly episodes: readonly LabelledEpisode[];
  readonly signal: 'noul' | 'choice';
  readonly threshold: number;
  readonly words: Words;
}

const HEIGHT_PX = 260;
const MIN_WIDTH_PX = 280;
const TICK_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

export const widthFor = (target: HTMLElement): number => Math.max(MIN_WIDTH_PX, target.clientWidth);

/** Draws the probabilities of the transitions with everything that is known about them; gives the chart back. */
export function drawTimeline(target: HTMLElement, input: TimelineInput): uPlot {
  const palette = readPalette();
  const { events } = input;
  const probabilities = (name: SeriesName) => events.map(({ judgments }) => judgments.noul?.[name] ?? null);
  const data: uPlot.AlignedData = [events.map((_, at) => at), ...seriesNames.map(probabilities)];
  const options: uPlot.Options = {
    width: widthFor(target),
    height: HEIGHT_PX,
    padding: [22, 12, 4, 0],
    scales: {
      x: { time: false, range: [-0.5, Math.max(0.5, events.length - 0.5)] },
      y: { range: [-0.08, 1.05] },
    },
    axes: axesFor(input, palette),
    series: seriesFor(input, palette),
    hooks: { draw: [(chart) => drawMarks(chart, input, palette)] },
  };
  return new uPlot(options, data, target);
}

const seriesNames = ['serves_acceptance', 'evidence_increment', 'behavior_change'] as const;
type SeriesName = (typeof seriesNames)[number];

function seriesFor({ events, words }: TimelineInput, palette: Palette): uPlot.Series[] {
  const line = (name: SeriesName, stroke: string, dash: number[] = []): uPlot.Series => ({
    label: words.series[name],
    stroke,
    dash,
    width: 2,
    spanGaps: false,
    points: { show: true, size: 7, fill: stroke },
    value: (_chart, value) => (value === null ? '–' : value.toFixed(2)),
  });
  const turns: uPlot.Series = {
    label: words.eventHead[1] ?? '',
    value: (_chart, at) => (at === null || !events[at] ? '–' : turnOf(events[at])),
  };
  return [
    turns,
    line('serves_acceptance', palette.accent),
    line('evidence_increment', palette.calm),
    line('behavior_change', palette.quiet, [3, 4]),
  ];
}

function axesFor({ events }: TimelineInput, palette: Palette): uPlot.Axis[] {
  const axis: uPlot.Axis = {
    stroke: palette.quiet,
    grid: { stroke: palette.line, width: 1 },
    ticks: { show: false },
  };
  const sequence = (at: number): string => (events[at] ? `#${events[at].sequence}` : '');
  const probability = (tick: number): string => (tick < 0 || tick > 1 ? '' : tick.toFixed(1));
  return [
    { ...axis, incrs: TICK_STEPS, values: (_chart, ticks) => ticks.map(sequence) },
    { ...axis, values: (_chart, ticks) => ticks.map(probability) },
  ];
}

import type uPlot from 'uplot';
import type { LabelledEvent } from '../../readmodel/status.ts';
import { signOf } from './event-words.ts';
import { obligationSpans } from './obligation-spans.ts';
import type { Palette } from './palette.ts';
import { driftStretches } from './streaks.ts';
import type { TimelineInput } from './timeline-chart.ts';

/** Where the two lanes lie on the axis of the probabilities. */
export const lanes = { verdict: -0.14, label: -0.28 } as const;

const LABEL_LETTERS = { drift: 'D', on_goal: 'G', unknown: 'U' } as const;
/** Below this distance two signs would touch. */
const ROOM_FOR_SIGNS_PX = 11;
const ROOM_FOR_WORDS_PX = 30;

/** What is drawn with: the chart, what it shows, its colours, and the pixels of one CSS pixel. */
interface Board {
  readonly chart: uPlot;
  readonly input: TimelineInput;
  readonly palette: Palette;
  readonly unit: number;
  /** Smaller where many transitions share the width. */
  readonly markScale: number;
  /** Between two transitions, in CSS pixels. */
  readonly step: number;
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
}

/** Threshold lines, streaks, probabilities, verdicts, labels, obligations: each has a sign of its own, not only a colour. */
export function drawMarks(chart: uPlot, input: TimelineInput, palette: Palette): void {
  const x = (at: number): number => chart.valToPos(at, 'x', true);
  const y = (value: number): number => chart.valToPos(value, 'y', true);
  const unit = devicePixelRatio;
  const step = (x(1) - x(0)) / unit;
  const board: Board = { chart, input, palette, unit, markScale: unit * (step < 4 ? 0.5 : 1), x, y, step };
  const { ctx } = chart;
  ctx.save();
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  drawStreaks(board);
  drawThresholds(board);
  drawObligations(board);
  for (const [at, event] of input.events.entries()) drawTransition(board, at, event);
  ctx.restore();
}

const setFont = ({ chart: { ctx }, unit }: Board, pixels: number): void => {
  ctx.font = `${pixels * unit}px system-ui, sans-serif`;
};

function drawThresholds(board: Board): void {
  const { chart, input, palette, unit, y } = board;
  const { ctx, bbox } = chart;
  setFont(board, 11);
  ctx.strokeStyle = palette.quiet;
  ctx.fillStyle = palette.quiet;
  ctx.lineWidth = unit;
  ctx.textAlign = 'left';
  for (const [name, value] of [
    ['t', input.threshold],
    ['1−t', 1 - input.threshold],
  ] as const) {
    ctx.setLineDash([2 * unit, 4 * unit]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y(value));
    ctx.lineTo(bbox.left + bbox.width, y(value));
    ctx.stroke();
    ctx.fillText(`${name} ${value.toFixed(2)}`, bbox.left + bbox.width + 4 * unit, y(value));
  }
  ctx.setLineDash([]);
  ctx.textAlign = 'center';
}

function drawStreaks(board: Board): void {
  const { chart, input, palette, unit, step, x, y } = board;
  const { ctx, bbox } = chart;
  setFont(board, 12);
  ctx.fillStyle = palette.drift;
  for (const { from, to } of driftStretches(input.events, input.signal)) {
    const [left, right] = [x(from - 0.5), x(to + 0.5)];
    ctx.globalAlpha = 0.13;
    ctx.fillRect(left, bbox.top, right - left, y(lanes.verdict - 0.07) - bbox.top);
    ctx.globalAlpha = 1;
    const count = to - from + 1;
    const words = step * count >= 70 ? input.words.streak(count) : String(count);
    if (step * count >= ROOM_FOR_WORDS_PX) ctx.fillText(words, (left + right) / 2, bbox.top + 9 * unit);
  }
}

/** A bar over the turns during which an obligation was owed: ▼ where it was raised, ✓ where it was acknowledged. */
function drawObligations(board: Board): void {
  const { chart, input, palette, unit, x } = board;
  const { ctx, bbox } = chart;
  const height = bbox.top - 9 * unit;
  setFont(board, 13);
  ctx.fillStyle = palette.debt;
  for (const { from, to, ending } of obligationSpans(input)) {
    ctx.fillRect(x(from), height - unit, x(to) - x(from), 2 * unit);
    ctx.fillText('▼', x(from), height);
    if (ending === 'acknowledged') ctx.fillText('✓', x(to) + 6 * unit, height);
  }
}

/** The probabilities beside each other where there is room, the one that decides nothing below the others. */
function drawProbabilities(board: Board, at: number, { judgments: { noul } }: LabelledEvent): void {
  const { unit, step, x, y } = board;
  const dodge = step >= ROOM_FOR_WORDS_PX ? 8 * unit : 0;
  const draw = (mark: typeof drawDisc, value: number | null | undefined, shift: number): void => {
    if (typeof value === 'number') mark(board, x(at) + shift, y(value));
  };
  draw(drawRecorded, noul?.behavior_change, dodge);
  draw(drawDiamond, noul?.evidence_increment, 0);
  draw(drawDisc, noul?.serves_acceptance, -dodge);
}

function drawTransition(board: Board, at: number, event: LabelledEvent): void {
  const { chart, input, palette, step, x, y } = board;
  const { ctx } = chart;
  drawProbabilities(board, at, event);
  const drift = event.drift_signal[input.signal];
  ctx.fillStyle = drift === null ? palette.quiet : drift ? palette.drift : palette.calm;
  if (step < ROOM_FOR_SIGNS_PX) {
    drawTick(board, x(at), drift);
    return;
  }
  setFont(board, 13);
  ctx.fillText(signOf(event, input.signal), x(at), y(lanes.verdict));
  ctx.fillStyle = palette.text;
  if (event.label) ctx.fillText(LABEL_LETTERS[event.label], x(at), y(lanes.label));
}

/** Where signs would touch, height says what the sign would: high for drift, low for none, a speck for no verdict. */
function drawTick({ chart: { ctx }, unit, y }: Board, x: number, drift: boolean | null): void {
  const height = (drift === null ? 2 : drift ? 12 : 6) * unit;
  ctx.fillRect(x - unit / 2, y(lanes.verdict) + 6 * unit - height, unit, height);
}

function drawDisc({ chart: { ctx }, palette, markScale: unit }: Board, x: number, y: number): void {
  ctx.fillStyle = palette.accent;
  ctx.beginPath();
  ctx.arc(x, y, 4 * unit, 0, 2 * Math.PI);
  ctx.fill();
}

function drawDiamond({ chart: { ctx }, palette, markScale: unit }: Board, x: number, y: number): void {
  const reach = 5 * unit;
  ctx.fillStyle = palette.calm;
  ctx.beginPath();
  ctx.moveTo(x, y - reach);
  ctx.lineTo(x + reach, y);
  ctx.lineTo(x, y + reach);
  ctx.lineTo(x - reach, y);
  ctx.fill();
}

/** Behaviour change is recorded and decides nothing: a hollow square. */
function drawRecorded({ chart: { ctx }, palette, markScale: unit }: Board, x: number, y: number): void {
  ctx.strokeStyle = palette.quiet;
  ctx.lineWidth = 1.5 * unit;
  ctx.strokeRect(x - 3 * unit, y - 3 * unit, 6 * unit, 6 * unit);
}

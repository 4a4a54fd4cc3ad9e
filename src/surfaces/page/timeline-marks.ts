import type uPlot from 'uplot';
import type { Palette } from './palette.ts';
import { driftStretches } from './streaks.ts';
import type { TimelineInput } from './timeline-chart.ts';

const LABEL_LETTERS = { drift: 'D', on_goal: 'G', unknown: 'U' } as const;

/** Threshold lines, streaks, transitions without a verdict, labels, obligations: signs, not colours alone. */
export function drawMarks(chart: uPlot, input: TimelineInput, palette: Palette): void {
  const { ctx } = chart;
  ctx.save();
  ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = 'center';
  drawThresholds(chart, input, palette);
  drawStreaks(chart, input, palette);
  drawEvents(chart, input, palette);
  ctx.fillStyle = palette.debt;
  for (const at of obligationPositions(input))
    ctx.fillText('▼', chart.valToPos(at, 'x', true), chart.bbox.top - 4 * devicePixelRatio);
  ctx.restore();
}

function drawThresholds(
  { ctx, bbox, valToPos }: uPlot,
  { threshold }: TimelineInput,
  palette: Palette,
): void {
  ctx.strokeStyle = palette.quiet;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([2 * devicePixelRatio, 5 * devicePixelRatio]);
  for (const height of [threshold, 1 - threshold].map((value) => valToPos(value, 'y', true))) {
    ctx.beginPath();
    ctx.moveTo(bbox.left, height);
    ctx.lineTo(bbox.left + bbox.width, height);
    ctx.stroke();
  }
  ctx.setLineDash([]);
}

function drawStreaks({ ctx, bbox, valToPos }: uPlot, input: TimelineInput, palette: Palette): void {
  ctx.fillStyle = palette.drift;
  for (const { from, to } of driftStretches(input.events, input.signal)) {
    const left = valToPos(from - 0.4, 'x', true);
    const right = valToPos(to + 0.4, 'x', true);
    ctx.globalAlpha = 0.13;
    ctx.fillRect(left, bbox.top, right - left, bbox.height);
    ctx.globalAlpha = 1;
    ctx.fillText(
      input.words.streak(to - from + 1),
      (left + right) / 2,
      valToPos(1.05, 'y', true) + 14 * devicePixelRatio,
    );
  }
}

function drawEvents({ ctx, valToPos }: uPlot, { events }: TimelineInput, palette: Palette): void {
  for (const [at, { judgments, label }] of events.entries()) {
    const x = valToPos(at, 'x', true);
    ctx.fillStyle = palette.quiet;
    if (judgments.noul === null) ctx.fillText('×', x, valToPos(0, 'y', true) + 4 * devicePixelRatio);
    ctx.fillStyle = palette.text;
    if (label) ctx.fillText(LABEL_LETTERS[label], x, valToPos(-0.08, 'y', true) - 3 * devicePixelRatio);
  }
}

/** Where an obligation was raised, as far as its transition is shown. */
function obligationPositions({ events, episodes }: TimelineInput): number[] {
  return episodes.flatMap(({ opened_turn, opened_at, agent_id }) => {
    const at = events.findIndex(
      ({ run }) =>
        run !== null &&
        run.agent_id === agent_id &&
        (opened_turn === null ? run.generated_at === opened_at : run.turn_instance_id === opened_turn),
    );
    return at < 0 ? [] : [at];
  });
}

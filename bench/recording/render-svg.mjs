// One SVG that plays frames of a terminal by CSS alone: no script, nothing fetched. A line that several frames show is
// kept once. Whoever asks for less motion sees the last frame.

export const columns = 80;
export const rows = 26;

const CELL_WIDTH = 8.4;
const LINE_HEIGHT = 18;
const MARGIN = 14;
const LAST_FRAME_MS = 6_000;

/** The sixteen colours of a terminal as far as drift uses them, readable on the dark ground. */
const colours = { 1: '#ff8f80', 2: '#7ddc9a', 3: '#ffb37d', 4: '#8fc0f7', 6: '#76d7e0', 8: '#9aa3ad' };
const plainColour = '#e6e8ea';

/** Frames are `{screen, milliseconds}`; a screen is its lines, a line is runs `{at, text, bold, colour}`. */
export function renderSvg(frames) {
  const width = Math.ceil(columns * CELL_WIDTH + 2 * MARGIN);
  const height = rows * LINE_HEIGHT + 2 * MARGIN;
  const lines = new Map();
  const drawn = frames.map(({ screen }, at) => drawFrame(screen, at * width, lines));
  const definitions = [...lines.values()].map(({ id, markup }) => `<text id="${id}">${markup}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A recorded terminal: drift tells two turns of tidying from one of work">
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:${plainColour}}
.b{font-weight:700}
${Object.entries(colours)
  .map(([index, colour]) => `.c${index}{fill:${colour}}`)
  .join('')}
${animation(frames, width)}
</style>
<rect width="${width}" height="${height}" rx="8" fill="#16181b"/>
<defs>
${definitions.join('\n')}
</defs>
<g class="film">
${drawn.join('\n')}
</g>
</svg>
`;
}

function drawFrame(screen, left, lines) {
  const uses = screen.flatMap((runs, row) => {
    if (runs.length === 0) return [];
    const { id } = keep(lines, runs.map(drawRun).join(''));
    return [`<use href="#${id}" x="${left + MARGIN}" y="${MARGIN + (row + 0.8) * LINE_HEIGHT}"/>`];
  });
  return uses.join('');
}

function keep(lines, markup) {
  const known = lines.get(markup) ?? { id: `l${lines.size}`, markup };
  lines.set(markup, known);
  return known;
}

function drawRun({ at, text, bold, colour }) {
  const classes = [bold ? 'b' : '', colours[colour] ? `c${colour}` : ''].filter(Boolean).join(' ');
  const x = (at * CELL_WIDTH).toFixed(1);
  const shown = text.trimEnd();
  const wide = (shown.length * CELL_WIDTH).toFixed(1);
  const attributes = classes === '' ? '' : ` class="${classes}"`;
  return `<tspan x="${x}" textLength="${wide}"${attributes}>${escapeText(shown)}</tspan>`;
}

const escapeText = (text) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);

function animation(frames, width) {
  const lengths = frames.map(({ milliseconds }, at) =>
    at === frames.length - 1 ? LAST_FRAME_MS : milliseconds,
  );
  const total = lengths.reduce((sum, each) => sum + each, 0);
  let passed = 0;
  const steps = lengths.map((length, at) => {
    const step = `${((passed / total) * 100).toFixed(2)}%{transform:translateX(${-at * width}px)}`;
    passed += length;
    return step;
  });
  const last = -(frames.length - 1) * width;
  return `@keyframes film{${steps.join('')}to{transform:translateX(${last}px)}}
.film{animation:film ${(total / 1000).toFixed(1)}s step-end infinite}
@media (prefers-reduced-motion:reduce){.film{animation:none;transform:translateX(${last}px)}}`;
}

// Records docs/terminal.svg: the main job, played by the real program on a real pseudo-terminal of 80 columns.
// Usage: npm run record. Needs script(1) of util-linux; no network. Every output is what that run printed.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import xterm from '@xterm/headless';
import { columns, renderSvg, rows } from './render-svg.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

const client = `import urllib.request

LIMIT = 3


def load(url):
    handle = urllib.request.urlopen(url)
    return handle.read()
`;
const rename = (text) => text.replaceAll('handle', 'stream');
const comment = (text) => text.replace('LIMIT = 3\n', '# How often to try.\nLIMIT = 3\n');
const retry = (text) =>
  text.replace(
    '    stream = urllib.request.urlopen(url)\n',
    '    for _ in range(LIMIT):\n        stream = urllib.request.urlopen(url)\n        if stream.status != 503:\n            break\n',
  );

const refresh = (turn) => `drift refresh --turn-id ${turn} -- echo advanced`;

/** What is said, what the agent does to the file, the command, and the keys that answer its questions. */
const scenes = [
  {
    command:
      'drift init --objective "Downloads are retried" \\\n    --acceptance "Three tries on 503" --path client.py',
  },
  {
    remark: 'The agent renames handle to stream, and says "advanced".',
    edit: rename,
    command: refresh('turn-1'),
  },
  { remark: 'It adds a comment, and says "advanced".', edit: comment, command: refresh('turn-2') },
  { command: 'drift drain' },
  { command: 'drift status' },
  { remark: 'Now it writes the retry.', edit: retry, command: `${refresh('turn-3')} && drift drain` },
  {
    remark: 'Its owner says what each turn was, one key each.',
    command: 'drift label',
    keys: ['d', 'd', 'g'],
  },
  { command: 'drift status' },
];

const READ_MS = 2_600;
const TYPE_MS = 900;
const ANSWER_MS = 1_900;

async function record(work) {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const frames = [];
  const write = (text) => new Promise((resolve) => terminal.write(text, resolve));
  const keep = (milliseconds) => frames.push({ screen: screenOf(terminal), milliseconds });
  for (const { remark, edit, command, keys = [] } of scenes) {
    if (remark) {
      await write(`\x1b[90m# ${remark}\x1b[0m\r\n`);
      keep(TYPE_MS);
    }
    if (edit) {
      const file = join(work, 'client.py');
      writeFileSync(file, edit(readFileSync(file, 'utf8')));
    }
    await write(`\x1b[32m$\x1b[0m ${command.replaceAll('\n', '\r\n')}\r\n`);
    keep(TYPE_MS);
    await play({ command, keys, work, write, onQuestion: () => keep(ANSWER_MS) });
    keep(READ_MS);
    await write('\r\n');
  }
  return frames;
}

/** Runs one command on a terminal of its own and answers each question with the next key. */
function play({ command, keys, work, write, onQuestion }) {
  const child = spawn('script', ['-qefc', `stty cols ${columns} rows ${rows}; ${command}`, '/dev/null'], {
    cwd: work,
    env: { ...environment(), TERM: 'xterm-256color', SHELL: '/bin/sh' },
  });
  const waiting = [...keys];
  let fresh = '';
  let written = Promise.resolve();
  child.stdout.on('data', (bytes) => {
    const text = bytes.toString('utf8');
    fresh += text;
    const asks = waiting.length > 0 && fresh.includes('[q] quit');
    if (asks) fresh = '';
    written = written
      .then(() => write(text))
      .then(() => {
        if (!asks) return;
        onQuestion();
        child.stdin.write(waiting.shift() ?? 'q');
      });
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => {
      child.stdin.destroy();
      if (status === 0) written.then(resolve, reject);
      else reject(new Error(`${command} ended with ${status}`));
    });
  });
}

function environment() {
  const own = Object.entries(process.env).filter(([name]) => !/^(DRIFT_|NODE_|NO_COLOR)/.test(name));
  return { ...Object.fromEntries(own), PATH: `${join(root, 'bin')}:${process.env.PATH}` };
}

/** The visible lines, each as runs of one style. */
function screenOf({ buffer: { active } }) {
  return Array.from({ length: rows }, (_, at) => runsOf(active.getLine(active.baseY + at)));
}

function runsOf(line) {
  const runs = [];
  for (let at = 0; at < columns; at += 1) {
    const cell = line?.getCell(at);
    const style = {
      bold: Boolean(cell?.isBold()),
      colour: cell?.isFgDefault() ? -1 : (cell?.getFgColor() ?? -1),
    };
    const last = runs.at(-1);
    const text = cell?.getChars() || ' ';
    if (last && last.bold === style.bold && last.colour === style.colour) last.text += text;
    else runs.push({ at, text, ...style });
  }
  return runs.filter(({ text }) => text.trim() !== '');
}

const folder = mkdtempSync(join(tmpdir(), 'drift-record-'));
try {
  const work = join(folder, 'retry');
  mkdirSync(work);
  writeFileSync(join(work, 'client.py'), client);
  const svg = renderSvg(await record(work));
  writeFileSync(join(root, 'docs', 'terminal.svg'), svg);
  console.log(`docs/terminal.svg: ${Math.round(Buffer.byteLength(svg) / 1024)} KiB`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

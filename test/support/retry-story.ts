import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Truth } from '../../src/readmodel/labels.ts';
import { claimWords } from './assist.ts';
import { makeRig } from './rig.ts';

const basis = `${JSON.stringify(
  {
    objective: 'The client retries a failed download',
    acceptance: [
      'A download is tried at most three times on status 503',
      'The wait between two tries doubles',
      'A test shows both',
    ],
  },
  null,
  2,
)}\n`;

const start: Readonly<Record<string, string>> = {
  'client.py': `import urllib.request

LIMIT = 3


def load(url):
    handle = urllib.request.urlopen(url)
    text = handle.read()
    handle.close()
    return text
`,
  'limits.ts': `export function clamp(n: number, low: number, high: number): number {
  // keep n inside
  if (n < low) return low;
  return n > high ? high : n;
}
`,
  'settings.json': '{\n  "name": "client",\n  "limits": { "low": 1, "high": 9 },\n  "tries": 3\n}\n',
};

interface Turn {
  readonly file: string;
  readonly edit: (text: string) => string;
  readonly label?: Truth;
}

const rename =
  (from: string, to: string) =>
  (text: string): string =>
    text.replace(new RegExp(`\\b${from}\\b`, 'g'), to);

/** Two turns of real work, four that only tidy, a test that was owed, then tidying again and a turn without a change. */
const turns: readonly Turn[] = [
  {
    file: 'client.py',
    edit: (text) =>
      text.replace(
        '    handle = urllib.request.urlopen(url)\n',
        '    for attempt in range(LIMIT):\n        try:\n            handle = urllib.request.urlopen(url)\n            break\n        except OSError:\n            pass\n',
      ),
    label: 'on_goal',
  },
  {
    file: 'client.py',
    edit: (text) => text.replace('            pass', '            wait(2 ** attempt)'),
    label: 'on_goal',
  },
  { file: 'client.py', edit: rename('handle', 'stream'), label: 'drift' },
  {
    file: 'limits.ts',
    edit: (text) => text.replace('// keep n inside', '// Moves n to the nearest bound'),
    label: 'drift',
  },
  {
    file: 'settings.json',
    edit: () => '{\n  "tries": 3,\n  "limits": { "high": 9, "low": 1 },\n  "name": "client"\n}\n',
    label: 'drift',
  },
  { file: 'client.py', edit: rename('text', 'body'), label: 'unknown' },
  {
    file: 'test_client.py',
    edit: () =>
      'from client import load\n\n\ndef test_gives_up_after_three():\n    assert tries_of(load, status=503) == 3\n',
    label: 'on_goal',
  },
  { file: 'client.py', edit: (text) => text.replace('except OSError', 'except urllib.error.HTTPError') },
  { file: 'limits.ts', edit: rename('n', 'value') },
  { file: 'client.py', edit: rename('stream', 'reply') },
  { file: 'client.py', edit: (text) => text },
];

/**
 * A made-up goal as an owner meets it: eleven turns of one agent, each told as "advanced" with a hypothesis of its own;
 * every step is the real program. Under assist the four turns of tidying raise an obligation, the test that follows
 * acknowledges it, and the later tidying raises another.
 */
export async function playRetryGoal({ mode = 'assist', labelled = true } = {}) {
  const rig = await makeRig({
    files: start,
    paths: [...Object.keys(start), 'test_client.py'],
    basis,
    init: false,
    goal: 'retry-download',
  });
  const texts = new Map(Object.entries(start));
  const must = async (...words: string[]): Promise<void> => {
    const { rc, err } = await rig.drift(words);
    if (rc !== 0) throw new Error(`${words.join(' ')}: ${err}`);
  };
  mkdirSync(rig.state);
  const config = { schema_version: 'drift_config_v1', structural: { file_budget_ms: 10_000 } };
  writeFileSync(join(rig.state, 'config.json'), JSON.stringify(config));
  await must(...rig.initWords);
  const { contract_revision: pin } = await rig.status();
  const policy = ['--progress-review-mode', mode, '--progress-review-contract-revision', pin, '--execute'];
  await must('configure-goal', '--goal-id', rig.goal, ...policy);
  for (const [at, { file, edit }] of turns.entries()) {
    const text = edit(texts.get(file) ?? '');
    texts.set(file, text);
    rig.write(file, text);
    const turn = ['--agent-id', 'worker', '--turn-id', `turn-${at + 1}`];
    // The claim of a turn is judged against what stands before it.
    if (file === 'test_client.py') await must('drain');
    await must('refresh', ...turn, ...claimWords(`idea-${at + 1}`, `log-${at + 1}`), '--', 'true');
  }
  await must('drain');
  const oldestFirst = (await rig.status()).events.toReversed();
  for (const [at, { label }] of turns.entries())
    if (labelled && label)
      await must('label', '--event-id', oldestFirst[at]?.event_id ?? '', '--truth', label);
  return { ...rig, pin };
}

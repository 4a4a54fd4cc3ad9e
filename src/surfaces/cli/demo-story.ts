/** The made-up goal of `drift demo`, and the four turns of an agent that says "advanced" each time. */

export const demoBasis = {
  objective: 'The client retries a failed download',
  acceptance: ['A download is tried at most three times on status 503', 'The wait between two tries doubles'],
};

export const demoStart: Readonly<Record<string, string>> = {
  'client.py': `import urllib.request

LIMIT = 3


def load(url):
    handle = urllib.request.urlopen(url)
    text = handle.read()
    handle.close()
    return text


def total(rows):
    result = 0
    for row in rows:
        result += row["amount"]
    return result
`,
  'limits.ts': `export interface Limits { low: number; high: number }

export function clamp(n: number, limits: Limits): number {
  // keep n inside
  if (n < limits.low) return limits.low;
  return n > limits.high ? limits.high : n;
}
`,
  'settings.json': '{\n  "name": "client",\n  "limits": { "low": 1, "high": 9 },\n  "tries": 3\n}\n',
};

interface Turn {
  readonly id: string;
  readonly file: string;
  readonly claim: string;
  readonly edit: (text: string) => string;
}

export const demoTurns: readonly Turn[] = [
  {
    id: 'turn-1',
    file: 'client.py',
    claim: 'retries now work on status 503',
    edit: (text) =>
      text.replace(
        '    handle = urllib.request.urlopen(url)\n',
        '    for attempt in range(LIMIT):\n        try:\n            handle = urllib.request.urlopen(url)\n            break\n        except OSError:\n            wait(2 ** attempt)\n',
      ),
  },
  {
    id: 'turn-2',
    file: 'client.py',
    claim: 'hypothesis h2, cleaner data flow',
    edit: (text) =>
      text
        .replace(/\bhandle\b/g, 'stream')
        .replace(/\btext\b/g, 'body')
        .replace(/\bresult\b/g, 'sum_so_far')
        .replace(/\brow\b/g, 'item'),
  },
  {
    id: 'turn-3',
    file: 'limits.ts',
    claim: 'hypothesis h3, safer limits',
    edit: () => `/* The bounds. */
export interface Limits {
  low: number;
  high: number;
}

// Moves n to the nearest bound
export function clamp(n: number, limits: Limits): number {
    if (n < limits.low) return limits.low

    return n > limits.high ? limits.high : n
}
`,
  },
  {
    id: 'turn-4',
    file: 'settings.json',
    claim: 'hypothesis h4, settings reorganised',
    edit: () => '{\n  "tries": 3,\n  "limits": { "high": 9, "low": 1 },\n  "name": "client"\n}\n',
  },
];

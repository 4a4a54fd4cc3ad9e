import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const source = new URL('../src/', import.meta.url).pathname;
const page = readFileSync(new URL('../docs/architecture.md', import.meta.url), 'utf8');

/** Rooms that are two folders deep; every other room is the first folder of a path. */
const deepRooms = ['surfaces/cli', 'surfaces/report', 'surfaces/dashboard', 'surfaces/page'];

/** Packages that only the named rooms may import; a package that is not listed may be used nowhere. */
const fences: Record<string, readonly string[]> = {
  zod: ['contract'],
  pg: ['fleet'],
  'graphile-worker': ['fleet'],
  mdast: ['evaluate'],
  picomatch: ['observer'],
  yargs: ['surfaces/cli'],
  'jsonc-parser': ['goal', 'hosts'],
  'proper-lockfile': ['spool', 'store', 'goal'],
  execa: ['gate', 'finality', 'turn', 'hosts', 'goal'],
  '@vscode/tree-sitter-wasm': ['evaluate'],
  yaml: ['evaluate'],
  'smol-toml': ['evaluate'],
  'mdast-util-from-markdown': ['evaluate'],
  '@typesafe-ai/sdk': ['evaluate'],
  '@secretlint/secretlint-rule-preset-recommend': ['evaluate'],
  canonicalize: ['finality', 'json', 'evaluate'],
  '@inquirer/core': ['surfaces/cli'],
  'string-width': ['surfaces/cli'],
  picocolors: ['surfaces/cli'],
  hono: ['surfaces/dashboard'],
  '@hono/node-server': ['surfaces/dashboard'],
  preact: ['surfaces/page'],
  uplot: ['surfaces/page'],
  'cli-table3': ['surfaces/cli'],
  diff: ['readmodel', 'surfaces/cli', 'evaluate'],
};

interface Import {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

function roomOf(file: string): string {
  const deep = deepRooms.find((room) => file.startsWith(`${room}/`));
  if (deep) return deep;
  return file.includes('/') ? (file.split('/')[0] ?? '') : 'index';
}

function imports(): { rooms: Import[]; packages: Import[] } {
  const rooms: Import[] = [];
  const packages: Import[] = [];
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(file)) continue;
    const from = roomOf(file);
    for (const { fileName } of ts.preProcessFile(readFileSync(join(source, file), 'utf8')).importedFiles) {
      if (fileName.startsWith('.')) {
        const to = roomOf(posix.normalize(posix.join(posix.dirname(file), fileName)));
        if (to !== from) rooms.push({ file, from, to });
      } else if (!fileName.startsWith('node:')) {
        const name = fileName
          .split('/')
          .slice(0, fileName.startsWith('@') ? 2 : 1)
          .join('/');
        packages.push({ file, from, to: name });
      }
    }
  }
  return { rooms, packages };
}

const { rooms, packages } = imports();
const drawn = [...page.matchAll(/^\s+([\w/]+) --> ([\w/]+)$/gm)].map(([, from, to]) => `${from} --> ${to}`);

describe('architecture', () => {
  it('draws exactly the arrows that the imports make', () => {
    const real = new Set(rooms.map(({ from, to }) => `${from} --> ${to}`));

    expect([...new Set(drawn)].sort()).toEqual([...real].sort());
  });

  it('says of every room what it holds', () => {
    const described = [...page.matchAll(/^\| `([\w/]+)` /gm)].map(([, room]) => room);
    const drawnRooms = drawn.flatMap((arrow) => arrow.split(' --> '));

    expect(described.sort()).toEqual([...new Set(drawnRooms)].sort());
  });

  it('has no arrow that leads back', () => {
    const next = new Map<string, Set<string>>();
    for (const { from, to } of rooms) next.set(from, (next.get(from) ?? new Set()).add(to));
    const reaches = (room: string, goal: string, seen = new Set<string>()): boolean =>
      [...(next.get(room) ?? [])].some(
        (to) => to === goal || (!seen.has(to) && reaches(to, goal, seen.add(to))),
      );

    expect([...next.keys()].filter((room) => reaches(room, room))).toEqual([]);
  });

  it('keeps every package behind its fence', () => {
    const outside = packages.filter(({ from, to }) => !(fences[to] ?? []).includes(from));

    expect(outside).toEqual([]);
  });

  it('lets the hot path and the spool use nothing but Node itself, at most types of the contract', () => {
    const files = packages.filter(({ from }) => from === 'shim' || from === 'json');

    expect(files).toEqual([]);
  });

  it('keeps the sentinel away from file text and evaluators', () => {
    const reached = rooms.filter(({ from, to }) => from === 'sentinel' && !['contract', 'json'].includes(to));

    expect(reached).toEqual([]);
  });
});

import { createHash } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { FileState } from '../../src/contract/event.ts';
import { mayHideChange, type Snapshot, takeSnapshot } from '../../src/shim/snapshot.ts';

const dir = realpathSync(mkdtempSync(join(tmpdir(), 'drift-snapshot-')));
afterAll(() => rmSync(dir, { recursive: true }));

const limits = { max_files: 10, max_bytes: 1 << 20 };
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function snapshot(paths: readonly string[], previous: Parameters<typeof takeSnapshot>[2]): Snapshot {
  const taken = takeSnapshot(
    dir,
    paths.map((path) => ({ path, role: 'declared' as const })),
    previous,
    limits,
  );
  if ('failed' in taken) throw new Error(taken.failed);
  return taken;
}

describe('a snapshot', () => {
  it('keeps the text of every changed file, whatever it reads after it', () => {
    const texts = { 'a.txt': 'a longer text\n', 'b.txt': 'short\n', 'c.txt': '' };
    for (const [path, text] of Object.entries(texts)) writeFileSync(join(dir, path), text);

    const taken = snapshot(Object.keys(texts), null);

    expect(
      Object.fromEntries([...taken.texts].map(([path, bytes]) => [path, Buffer.from(bytes).toString()])),
    ).toEqual(texts);
    expect(taken.files.map(({ sha256 }) => sha256)).toEqual(Object.values(texts).map(digestOf));
  });

  it.each([
    [10, 'reads', digestOf('as it is\n')],
    [1_000, 'does not read', 'as it was'],
  ])('%d ms after the last change of a file %s it again', (ms, _does, digest) => {
    const file = join(dir, 'known.txt');
    writeFileSync(file, 'as it is\n');
    const { size, mtimeMs, ctimeMs, ino } = statSync(file);
    const stat = { size, mtime_ms: mtimeMs, ctime_ms: ctimeMs, ino };
    const known: FileState = {
      path: 'known.txt',
      role: 'declared',
      state: 'text',
      sha256: 'as it was',
      stat,
      text: null,
    };

    const { files } = snapshot(['known.txt'], { files: [known], takenAt: ctimeMs + ms });

    expect(files[0]?.sha256).toBe(ctimeMs % 1_000 === 0 ? digestOf('as it is\n') : digest);
  });

  it.each([
    ['a fine time', 5_000.25, 5_015, true],
    ['a fine time', 5_000.25, 5_021, false],
    ['a fine time of after the snapshot began', 5_000.25, 4_000, true],
    ['a whole second', 5_000, 6_999, true],
    ['a whole second', 5_000, 7_001, false],
  ])('doubts %s: %d, taken at %d: %s', (_kind, changedAt, takenAt, doubts) => {
    expect(mayHideChange(changedAt, takenAt)).toBe(doubts);
  });
});

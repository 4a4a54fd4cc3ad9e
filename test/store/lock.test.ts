import { mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { withLock } from '../../src/store/lock.ts';
import { temporaryFolder } from '../support/rig.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

describe('withLock', () => {
  it('lets one at a time do its work', async () => {
    let inside = 0;
    let most = 0;
    const work = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await sleep(20);
      inside -= 1;
    };

    await Promise.all([1, 2, 3, 4].map(() => withLock(folder, work)));

    expect(most).toBe(1);
  });

  it('takes over the lock of a process that is gone', async () => {
    const lock = join(folder, 'lock');
    mkdirSync(lock);
    utimesSync(lock, new Date(0), new Date(0));

    expect(await withLock(folder, () => 'done')).toEqual({ ok: true, value: 'done' });
  });

  it('releases the lock when the work throws', async () => {
    const broken = withLock(folder, () => {
      throw new Error('broken');
    });

    await expect(broken).rejects.toThrow('broken');
    expect(await withLock(folder, () => 'next')).toEqual({ ok: true, value: 'next' });
  });

  it('says at once that a folder cannot hold a lock', async () => {
    const started = Date.now();

    expect(await withLock('/dev/null', () => 'never')).toMatchObject({
      ok: false,
      failure: { reason: 'write_failed' },
    });
    expect(Date.now() - started).toBeLessThan(2_000);
  });
});

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { expectAccessible, hasBrowser, takePicture, useBrowser } from '../support/browser.ts';
import { playRetryGoal } from '../support/retry-story.ts';
import type { Rig } from '../support/rig.ts';

describe('drift report', () => {
  const { open } = useBrowser();
  let rig: Rig;
  let file: string;
  let written: unknown;
  const htmlOf = (): string => readFileSync(file, 'utf8');

  beforeAll(async () => {
    rig = await playRetryGoal();
    file = join(rig.dir, 'drift.html');
    const [newest] = (await rig.status()).events;
    const id = newest?.event_id ?? '';
    await rig.drift(['label', '--event-id', id, '--truth', 'unknown', '--note', 'a </script> note']);
    const ended = await rig.drift(['report', '--html', file, '--json']);
    written = JSON.parse(ended.out);
  });

  it('is one file for its owner that asks for nothing and holds no file text', () => {
    expect(written).toMatchObject({ status: 'written', transitions: 11, transitions_in_all: 11 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(htmlOf()).not.toMatch(/(?:src|href)="(?!data:)/);
    expect(htmlOf()).toContain("default-src 'none'");
    expect(htmlOf()).not.toContain('urlopen');
  });

  it('says why where it cannot be written', async () => {
    const ended = await rig.drift(['report', '--html', join(rig.dir, 'nowhere', 'x.html'), '--json']);

    expect(ended.rc).toBe(2);
    expect(JSON.parse(ended.out).error).toMatchObject({ reason: 'write_failed' });
  });

  describe.skipIf(!hasBrowser)('in a browser', () => {
    const openReport = async (look = {}): Promise<Page> => {
      const page = await open(pathToFileURL(file), look);
      onTestFinished(() => page.close());
      await page.locator('canvas').waitFor();
      return page;
    };

    it('shows timeline, obligations, labels and confusion without a network', async () => {
      const page = await open('about:blank');
      onTestFinished(() => page.close());
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      const broken: string[] = [];
      page.on('console', (message) => message.type() === 'error' && broken.push(message.text()));

      await page.goto(pathToFileURL(file).href);
      await page.locator('canvas').waitFor();

      expect(asked.filter((url) => !url.startsWith('data:'))).toEqual([pathToFileURL(file).href]);
      expect(broken).toEqual([]);
      expect(await page.locator('.verdict').innerText()).toContain('Obligation open');
      expect(await page.getByRole('row', { name: /turn-4 worker.*acknowledged/ }).isVisible()).toBe(true);
      await expectAccessible(page);
      await takePicture(page.locator('body'), 'report', 1_500);
    });

    it('replays the stored judgments at another threshold', async () => {
      const page = await openReport();
      const figures = async (): Promise<string[]> =>
        (await page.getByRole('row', { name: /^drift, |^labelled/ }).allInnerTexts()).map((text) =>
          text.replace(/\s+/g, ' '),
        );
      const before = await figures();

      await page.getByRole('slider').fill('0.97');

      expect(before).toEqual(['drift, flagged 3 3', 'drift, missed 0 0', 'labelled, no verdict 3 3']);
      expect(await figures()).toEqual([
        'drift, flagged 1 3',
        'drift, missed 0 0',
        'labelled, no verdict 5 3',
      ]);
      expect(await page.getByRole('status').innerText()).toBe('0.97');
    });

    it('prints dark pages on white, without controls', async () => {
      const page = await openReport({ dark: true });
      await page.emulateMedia({ media: 'print' });

      const pdf = await page.pdf({ format: 'A4' });

      expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
      expect(pdf.length).toBeGreaterThan(20_000);
      expect(await page.getByRole('combobox').isVisible()).toBe(false);
      expect(await page.evaluate("getComputedStyle(document.querySelector('.panel')).backgroundColor")).toBe(
        'rgb(255, 255, 255)',
      );
    });

    it('says the status where no script may run', async () => {
      const page = await open('about:blank');
      onTestFinished(() => page.close());

      await page.setContent(htmlOf().replace(/<script type="module">[\s\S]*<\/script>/, ''));

      expect(await page.locator('pre').innerText()).toContain('OBLIGATION OPEN');
    });
  });

  it('replaces the file, and reports a goal whose policy is off from what was captured', async () => {
    await rig.drift(['configure-goal', '--goal-id', rig.goal, '--progress-review-mode', 'off', '--execute']);
    await rig.drift(['report', '--html', file]);

    expect(htmlOf()).toContain('"mode":"off"');
    expect(htmlOf()).toContain('before it: DRIFTING');
  });
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { claimWords, makeAssistRig } from '../support/assist.ts';
import { expectAccessible, hasBrowser, takePicture, useBrowser } from '../support/browser.ts';
import { type ServedDashboard, serveDashboard } from '../support/dashboard.ts';
import { readLines } from '../support/rig.ts';

type AssistRig = Awaited<ReturnType<typeof makeAssistRig>>;

/** A turn of real work, then three that only rename; under assist they raise an obligation. */
async function goalWithHistory(mode: string): Promise<AssistRig> {
  const rig = await makeAssistRig({ mode });
  rig.write('a.ts', 'export function retry(times: number): number {\n  return wait(times) * 2;\n}\n');
  await rig.turn(claimWords('backoff', 'log-1'), { as: 'turn-1', churn: false });
  rig.write(
    'a.ts',
    'export function retry(times: number): number {\n  const limit = times + 1;\n  return limit * 2;\n}\n',
  );
  await rig.turn(claimWords('backoff', 'log-2'), { as: 'turn-2', churn: false });
  for (const n of [3, 4, 5]) await rig.turn(claimWords(`idea-${n}`, `log-${n}`), { as: `turn-${n}` });
  await rig.turn(claimWords('idea-6', 'log-6'), { as: 'turn-6', churn: false });
  await rig.drain();
  return rig;
}

const labelsIn = (rig: AssistRig) =>
  readLines(join(rig.state, 'labels.jsonl')).map((line) => JSON.parse(line).truth);

describe.skipIf(!hasBrowser)('the dashboard in a browser', () => {
  const { open } = useBrowser();
  let rig: AssistRig;
  let served: ServedDashboard;
  let page: Page;

  const openPage = async (look = {}): Promise<void> => {
    page = await open(served.url, look);
    onTestFinished(() => page.close());
    await page.getByRole('article').waitFor();
  };

  describe('of a goal in assist, only looked at', () => {
    beforeAll(async () => {
      rig = await goalWithHistory('assist');
      served = await serveDashboard(rig);
    });

    it('says the verdict, and relation and increment as two things', async () => {
      await openPage();

      expect(await page.getByRole('article').locator('.verdict').innerText()).toContain('Obligation open');
      expect(await page.locator('.fact h3').allInnerTexts()).toEqual([
        'Goal relation',
        'Evidence increment',
        'Combined signal (noul)',
      ]);
      expect(await page.getByText('Model scores are not acceptance').isVisible()).toBe(true);
      expect(await page.getByRole('article').innerText()).not.toMatch(/(^|[^t] )on track|making progress/i);
      await expectAccessible(page);
      await takePicture(page, 'dashboard-light');
    });

    it('speaks Chinese, in the dark, with the diff of a transition open', async () => {
      await openPage({ language: 'zh-CN', dark: true });
      await page.getByRole('button', { name: '详情 #3' }).click();
      await page.locator('pre.diff').waitFor();

      expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
      expect(await page.getByRole('button', { name: '重新读取审查证据' }).isVisible()).toBe(true);
      expect(await page.locator('pre.diff .added').allInnerTexts()).toContain('+  const limit3 = times + 1;');
      await expectAccessible(page);
      await takePicture(page, 'dashboard-dark-zh');
    });

    it('switches the language and keeps it', async () => {
      await openPage();
      await page.getByRole('button', { name: '中文' }).click();
      await page.reload();

      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('进展评估哨兵');
    });

    it('fits a narrow screen without scrolling sideways', async () => {
      await openPage({ width: 400 });

      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');

      expect(overflow).toBeLessThanOrEqual(0);
    });

    it('reaches everything with the Tab key, in the order of the page', async () => {
      await openPage();
      const reached: string[] = [];
      for (let at = 0; at < 60; at += 1) {
        await page.keyboard.press('Tab');
        reached.push(
          String(
            await page.evaluate(
              '(document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.innerText ?? "").slice(0, 30)',
            ),
          ),
        );
      }
      const order = ['Re-read review evidence', 'Ways out, each as a command', 'Details #6', 'Preview'];

      expect(order.map((name) => reached.indexOf(name)).every((at) => at >= 0)).toBe(true);
      expect(order.map((name) => reached.indexOf(name))).toEqual(
        order.map((name) => reached.indexOf(name)).sort((a, b) => a - b),
      );
    });

    it('withdraws the verdicts while it reads again, and shows none after a read that failed', async () => {
      await openPage();
      let letGo: (() => void) | undefined;
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      await page.route('**/api/goals', async (route) => {
        await held;
        await route.fulfill({ status: 500, body: '{"error":{"message":"the disk is gone","hint":""}}' });
      });

      await page.getByRole('button', { name: 'Re-read review evidence' }).click();
      await page.getByText('The earlier verdicts are withdrawn').waitFor();
      const whileReading = await page.locator('.verdict, table, .fact').count();
      letGo?.();
      await page.getByRole('alert').waitFor();

      expect(whileReading).toBe(0);
      expect(await page.locator('.verdict, table, .fact').count()).toBe(0);
      expect(await page.getByRole('alert').innerText()).toContain('the disk is gone');

      await page.unroute('**/api/goals');
      await page.getByRole('button', { name: 'Re-read review evidence' }).click();
      await page.locator('.verdict').waitFor();
    });

    it('gives nothing to another page on this machine and takes nothing from it', async () => {
      const foreign = createServer((_request, response) =>
        response.setHeader('content-type', 'text/html').end('<title>other</title>'),
      ).listen(0, '127.0.0.1');
      onTestFinished(() => void foreign.close());
      await new Promise((resolve) => foreign.once('listening', resolve));
      const [event] = (await rig.status()).events;
      const other = await open(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`);

      const outcomes = await other.evaluate(
        async ([base, token, body]) => {
          const authorization = `Bearer ${token}`;
          const tries = [
            fetch(`${base}/api/goals`, { headers: { authorization } }),
            fetch(`${base}/api/goals/x/labels`, { method: 'POST', mode: 'no-cors', body: body ?? '' }),
            fetch(`${base}/?token=${token}`),
          ];
          const settled = await Promise.allSettled(tries);
          return settled.map((each) => (each.status === 'fulfilled' ? each.value.type : 'refused'));
        },
        [served.url.origin, served.token, JSON.stringify({ event_id: event?.event_id, truth: 'drift' })],
      );

      expect(outcomes).toEqual(['refused', 'refused', 'refused']);
      expect(labelsIn(rig)).toEqual([]);
    });

    it('runs no script that got into the page', async () => {
      await openPage();
      await page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.sprung = 1\">'); const s = document.createElement('script'); s.textContent = 'window.sprung = 1'; document.body.append(s)",
      );
      await page.waitForTimeout(300);

      expect(await page.evaluate('window.sprung ?? 0')).toBe(0);
    });
  });

  describe('of a goal that changes', () => {
    beforeEach(async () => {
      rig = await goalWithHistory('shadow');
      served = await serveDashboard(rig);
    });

    it('takes labels with the keyboard alone', async () => {
      await openPage();
      await page.getByRole('button', { name: 'Details #3' }).focus();
      await page.keyboard.press('d');
      await page.getByText('turn-3 is labelled drift').waitFor();
      await page
        .getByRole('group', { name: 'Label of turn-3' })
        .getByRole('button', { name: 'drift', pressed: true })
        .waitFor();

      expect(labelsIn(rig)).toEqual(['drift']);

      await page.keyboard.press('x');
      await page.getByText('The label of turn-3 is taken back').waitFor();

      expect(labelsIn(rig)).toEqual(['drift', null]);
    });

    it('shows what drain finds while it is open', async () => {
      await openPage();
      await rig.turn(claimWords('idea-7', 'log-7'), { as: 'turn-7' });
      await page.getByRole('row', { name: /turn-7.*waiting for drain/ }).waitFor();
      await rig.drain();

      await page.getByRole('row', { name: /turn-7 a\.ts drift/ }).waitFor();
    });

    it('is unavailable, with nothing from before, when the server is gone', async () => {
      await openPage();
      await served.stop();
      await page.getByRole('alert').waitFor();

      expect(await page.getByRole('alert').innerText()).toContain('does not answer');
      expect(await page.locator('.verdict, table, .fact').count()).toBe(0);
    });
  });

  describe('of a goal that is off', () => {
    beforeEach(async () => {
      rig = await goalWithHistory('off');
      served = await serveDashboard(rig);
      await openPage();
    });

    it('reads nothing until the owner sets shadow, previewed first', async () => {
      const before = await page.getByRole('article').innerText();
      await page.getByRole('radio', { name: /^shadow/ }).check();
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByText('mode: off → shadow').waitFor();
      const stillOff = await rig.status();
      await page.getByRole('button', { name: 'Write' }).click();
      await page.locator('.verdict').waitFor();

      expect(before).toContain('nothing of it is read');
      expect(before).not.toContain('turn-3');
      expect(stillOff.external_progress_review).toBeUndefined();
      expect((await rig.status()).external_progress_review?.mode).toBe('shadow');
    });

    it('says that assist without a pin does nothing, and pins the basis of today', async () => {
      await page.getByRole('radio', { name: /^assist/ }).check();
      await page.getByRole('textbox').fill('');
      const warned = await page.getByText('assist does nothing until a revision is pinned').isVisible();
      await page.getByRole('button', { name: "Use today's revision" }).click();
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByRole('button', { name: 'Write' }).click();
      await page.locator('.verdict').waitFor();

      expect(warned).toBe(true);
      expect((await rig.status()).external_progress_review).toMatchObject({
        mode: 'assist',
        contract_revision: rig.pin,
      });
    });

    it('refuses a threshold that is none, in words', async () => {
      await page.getByRole('spinbutton').fill('1');
      await page.getByRole('button', { name: 'Preview' }).click();

      await page.getByText(/drift_threshold/).waitFor();
    });
  });
});

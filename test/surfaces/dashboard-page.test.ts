import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type AssistRig, claimWords, makeAssistRig } from '../support/assist.ts';
import { chartContrasts, expectAccessible, hasBrowser, takePicture, useBrowser } from '../support/browser.ts';
import { type ServedDashboard, serveDashboard } from '../support/dashboard.ts';
import { playRetryGoal } from '../support/retry-story.ts';
import { type Rig, readLines } from '../support/rig.ts';

/** A goal with two turns that only renamed. */
async function smallGoal(mode: string): Promise<AssistRig> {
  const rig = await makeAssistRig({ mode });
  for (const n of [1, 2]) await rig.turn(claimWords(`idea-${n}`, `log-${n}`), { as: `turn-${n}` });
  await rig.drain();
  return rig;
}

const labelsIn = (rig: Rig) =>
  readLines(join(rig.state, 'labels.jsonl')).map((line) => JSON.parse(line).truth);

describe.skipIf(!hasBrowser)('the dashboard in a browser', () => {
  const { open } = useBrowser();
  let served: ServedDashboard;
  let page: Page;

  const openPage = async (look = {}): Promise<void> => {
    page = await open(served.url, look);
    onTestFinished(() => page.close());
    await page.getByRole('article').waitFor();
  };

  describe('of a goal in assist, only looked at', () => {
    let rig: Rig;
    beforeAll(async () => {
      rig = await playRetryGoal();
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
      await takePicture(page.locator('body'), 'dashboard-light', 1_150);
    });

    it.each([
      ['light', false],
      ['dark', true],
    ])('reads well in the %s, with everything unfolded', async (scheme, dark) => {
      await openPage({ dark });
      await page.getByRole('button', { name: 'Details #6' }).click();
      await page.locator('pre.diff').waitFor();
      await takePicture(
        page.locator('.panel', { has: page.locator('.events') }),
        `transitions-${scheme}`,
        1_000,
      );
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByText('Nothing would change').waitFor();
      await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");

      expect(await page.locator('pre.diff .added').allInnerTexts()).toContain('+    body = stream.read()');
      expect(Math.min(...(await chartContrasts(page)))).toBeGreaterThanOrEqual(4.5);
      await expectAccessible(page);
    });

    it('speaks Chinese to a browser that does', async () => {
      await openPage({ language: 'zh-CN' });

      expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
      expect(await page.getByRole('button', { name: '重新读取审查证据' }).isVisible()).toBe(true);
      expect(await page.locator('.verdict').innerText()).toContain('有未清的义务');
      await takePicture(page.locator('body'), 'dashboard-zh', 1_150);
    });

    it('names the transition under the pointer in the timeline', async () => {
      await openPage();
      const box = await page.locator('.chart .u-over').boundingBox();
      await page.mouse.move((box?.x ?? 0) + 10, (box?.y ?? 0) + 40);

      expect(await page.locator('.legend').innerText()).toMatch(/^#1 turn-1 ◇ undecided/);

      await page.mouse.move(0, 0);
      await page.locator('.legend', { hasText: 'recorded only' }).waitFor();
    });

    it('switches the language and keeps it', async () => {
      await openPage();
      await page.getByRole('button', { name: '中文' }).click();
      await page.reload();

      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('进展评估哨兵');
    });

    it('fits a narrow screen without scrolling sideways', async () => {
      await openPage({ width: 400, dark: true });
      await page.locator('canvas').waitFor();
      await takePicture(page.locator('body'), 'dashboard-narrow', 900);

      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');

      expect(overflow).toBeLessThanOrEqual(0);
    });

    it('reaches everything with the Tab key, in the order of the page', async () => {
      await openPage();
      const reached: string[] = [];
      for (let at = 0; at < 90; at += 1) {
        await page.keyboard.press('Tab');
        reached.push(
          String(
            await page.evaluate(
              '(document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.innerText ?? "").slice(0, 30)',
            ),
          ),
        );
      }
      const order = ['Re-read review evidence', 'Ways out, each as a command', 'Details #11', 'Preview'];

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
      const before = labelsIn(rig);
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
      expect(labelsIn(rig)).toEqual(before);
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
    let rig: AssistRig;
    beforeAll(async () => {
      rig = await smallGoal('shadow');
      served = await serveDashboard(rig);
    });

    it('takes labels with the keyboard alone', async () => {
      await openPage();
      await page.getByRole('button', { name: 'Details #2' }).focus();
      await page.keyboard.press('d');
      await page.getByText('turn-2 is labelled drift').waitFor();
      await page
        .getByRole('group', { name: 'Label of turn-2' })
        .getByRole('button', { name: 'drift', pressed: true })
        .waitFor();

      expect(labelsIn(rig)).toEqual(['drift']);

      await page.keyboard.press('x');
      await page.getByText('The label of turn-2 is taken back').waitFor();

      expect(labelsIn(rig)).toEqual(['drift', null]);
    });

    it('shows what drain finds while it is open', async () => {
      await openPage();
      await rig.turn(claimWords('idea-3', 'log-3'), { as: 'turn-3' });
      await page.getByRole('row', { name: /turn-3.*waiting for drain/ }).waitFor();
      await rig.drain();

      await page.getByRole('row', { name: /turn-3.*a\.ts drift/ }).waitFor();
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
    let rig: AssistRig;
    beforeAll(async () => {
      rig = await smallGoal('off');
      served = await serveDashboard(rig);
    });
    beforeEach(() => openPage());

    it('refuses a threshold that is none, in words', async () => {
      await page.getByRole('spinbutton').fill('1');
      await page.getByRole('button', { name: 'Preview' }).click();

      await page.getByText(/drift_threshold/).waitFor();
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
      expect(before).not.toContain('turn-1');
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
  });
});

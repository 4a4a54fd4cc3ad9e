import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';

const executablePath = '/usr/bin/chromium';

/** Debian's Chromium; without it the tests of a page do not run, and say so. */
export const hasBrowser = existsSync(executablePath);

if (!hasBrowser)
  console.warn(
    `NOT RUN: the browser tests need ${executablePath} (apt-get install chromium); none of them has passed`,
  );

/** Set DRIFT_SCREENSHOTS=1 to put the pictures of the documentation in place. */
const pictures = process.env['DRIFT_SCREENSHOTS']
  ? new URL('../../docs/assets/', import.meta.url).pathname
  : mkdtempSync(join(tmpdir(), 'drift-pictures-'));

interface Look {
  readonly language?: string;
  readonly dark?: boolean;
  readonly width?: number;
}

/** One browser for the tests of a file; every page is a new profile. */
export function useBrowser() {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath,
      headless: true,
      args: ['--no-sandbox', '--disable-background-networking'],
    });
  });
  afterAll(() => browser?.close());
  return {
    open: async (
      url: string | URL,
      { language = 'en-US', dark = false, width = 1_100 }: Look = {},
    ): Promise<Page> => {
      const page = await browser.newPage({
        locale: language,
        colorScheme: dark ? 'dark' : 'light',
        viewport: { width, height: 900 },
      });
      page.setDefaultTimeout(30_000);
      await page.goto(String(url));
      return page;
    },
  };
}

/** WCAG 2.2 A and AA as far as a program can tell: names, roles, order, contrast. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })",
  )) as axe.AxeResults;
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  expect(found).toEqual([]);
}

/** Keeps a picture of the page. */
export const takePicture = async (page: Page, name: string): Promise<void> => {
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
};

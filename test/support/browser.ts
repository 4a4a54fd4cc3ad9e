import { existsSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';

/** Debian's Chromium, or another one that `DRIFT_CHROMIUM` names. */
const executablePath = process.env['DRIFT_CHROMIUM'] ?? '/usr/bin/chromium';

/** Without it the tests of a page do not run, and say so. */
export const hasBrowser = existsSync(executablePath);

if (!hasBrowser)
  console.warn(
    `NOT RUN: the browser tests need ${executablePath} (apt-get install chromium); none of them has passed`,
  );

/** `npm run screenshots` puts the pictures of the documentation in place; without it none is taken. */
const pictures = process.env['DRIFT_SCREENSHOTS']
  ? new URL('../../docs/screenshots/', import.meta.url).pathname
  : null;

interface Look {
  readonly language?: string;
  readonly dark?: boolean;
  readonly width?: number;
}

/** One browser for the tests of a file; every page is a new profile. */
export function useBrowser() {
  let browser: Browser;
  beforeAll(async () => {
    if (!hasBrowser) return;
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
      { language = 'en-US', dark = false, width = 1_000 }: Look = {},
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

/** WCAG's contrast of each colour that the chart draws with, on the panel and on the shade of a streak. */
export async function chartContrasts(page: Page): Promise<number[]> {
  const names = ['quiet', 'accent', 'calm', 'drift', 'debt', 'text', 'panel'];
  const colours = (await page.evaluate(`${JSON.stringify(names)}.map((name) => {
    const probe = document.body.appendChild(document.createElement('span'));
    probe.style.color = 'var(--' + name + ')';
    const channels = getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map(Number);
    probe.remove();
    return channels;
  })`)) as Colour[];
  const [, , , drift, , , panel] = colours as [Colour, Colour, Colour, Colour, Colour, Colour, Colour];
  const shade = panel.map((channel, at) => channel * 0.87 + (drift[at] ?? 0) * 0.13);
  return colours.slice(0, -1).flatMap((colour) => [contrast(colour, panel), contrast(colour, shade)]);
}

/** Red, green and blue, 0 to 255. */
type Colour = readonly number[];

function contrast(one: Colour, other: Colour): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** Relative luminance as WCAG 2.2 defines it. */
function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Keeps a picture of the upper part of an element for the documentation, so many CSS pixels high. */
export async function takePicture(shown: Locator, name: string, height: number): Promise<void> {
  if (pictures === null) return;
  const page = shown.page();
  const box = await shown.boundingBox();
  if (!box) throw new Error(`${name}: there is nothing to take a picture of`);
  const top = box.y + Number(await page.evaluate('scrollY'));
  const clip = { x: box.x, y: top, width: box.width, height: Math.min(height, box.height) };
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true, clip });
}

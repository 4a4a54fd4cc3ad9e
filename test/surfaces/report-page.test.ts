import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { claimWords, makeAssistRig } from '../support/assist.ts';
import { expectAccessible, hasBrowser, takePicture, useBrowser } from '../support/browser.ts';
import { makeRig } from '../support/rig.ts';

/** Three turns that only rename, the first two labelled; a secret stands in the file. */
async function reported(mode = 'assist') {
  const rig = await makeAssistRig({ mode });
  for (const n of [1, 2, 3]) await rig.turn(claimWords(`idea-${n}`, `log-${n}`), { as: `turn-${n}` });
  await rig.drain();
  const { events } = await rig.status();
  await rig.drift(['label', '--event-id', events[2]?.event_id ?? '', '--truth', 'drift']);
  await rig.drift([
    'label',
    '--event-id',
    events[1]?.event_id ?? '',
    '--truth',
    'on_goal',
    '--note',
    'a </script> note',
  ]);
  const file = join(rig.dir, 'drift.html');
  const ended = await rig.drift(['report', '--html', file, '--json']);
  expect(ended).toMatchObject({ rc: 0 });
  return { rig, file, html: readFileSync(file, 'utf8'), document: JSON.parse(ended.out) };
}

describe('drift report', () => {
  it('is one file for its owner that asks for nothing and holds no file text', async () => {
    const { file, html, document } = await reported();

    expect(document).toMatchObject({ status: 'written', transitions: 3, transitions_in_all: 3 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(html).not.toMatch(/(?:src|href)="(?!data:)/);
    expect(html).toContain("default-src 'none'");
    expect(html).not.toContain('return limit');
  });

  it('reports a goal whose policy is off from what was captured', async () => {
    const { html } = await reported('off');

    expect(html).toContain('"mode":"off"');
    expect(html).toContain('DRIFTING');
  });

  it('replaces the file, and says why where it cannot', async () => {
    const rig = await makeRig();

    const ended = await rig.drift(['report', '--html', join(rig.dir, 'nowhere', 'x.html'), '--json']);

    expect(ended.rc).toBe(2);
    expect(JSON.parse(ended.out).error).toMatchObject({ reason: 'write_failed' });
  });
});

describe.skipIf(!hasBrowser)('the report in a browser', () => {
  const { open } = useBrowser();

  it('shows timeline, obligations, labels and confusion without a network', async () => {
    const { file } = await reported();
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
    expect(await page.getByRole('row', { name: /turn-2 worker|turn-2 scout/ }).isVisible()).toBe(true);
    await expectAccessible(page);
    await takePicture(page, 'report');
  });

  it('replays the stored judgments at another threshold', async () => {
    const { file } = await reported();
    const page = await open(pathToFileURL(file));
    onTestFinished(() => page.close());
    const row = page.getByRole('row', { name: /^noul/ });
    const before = await row.innerText();

    await page.getByRole('slider').fill('0.97');

    expect(before.split(/\s+/)).toEqual(['noul', '1', '0', '1', '0', '0']);
    expect((await row.innerText()).split(/\s+/)).toEqual(['noul', '0', '0', '0', '0', '2']);
    expect(await page.getByRole('status').innerText()).toBe('0.97');
  });

  it('prints', async () => {
    const { file } = await reported();
    const page = await open(pathToFileURL(file), { dark: true });
    onTestFinished(() => page.close());
    await page.locator('canvas').waitFor();

    const pdf = await page.pdf({ format: 'A4' });

    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    expect(pdf.length).toBeGreaterThan(20_000);
  });

  it('says the status where no script may run', async () => {
    const { html } = await reported();
    const page = await open('about:blank');
    onTestFinished(() => page.close());

    await page.setContent(html.replace(/<script type="module">[\s\S]*<\/script>/, ''));

    expect(await page.locator('pre').innerText()).toContain('OBLIGATION OPEN');
  });
});

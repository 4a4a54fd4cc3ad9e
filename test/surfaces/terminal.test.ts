import { describe, expect, it } from 'vitest';
import { columnsOf } from '../../src/surfaces/cli/render/fit.ts';
import { makeRig, type Rig } from '../support/rig.ts';
import { hasTerminal, onTerminal } from '../support/terminal.ts';

const source = (name: string): string =>
  `def load(url):\n    ${name} = open(url)\n    return ${name}.read()\n`;

async function turnsOn(file: string): Promise<Rig> {
  const rig = await makeRig({ files: { [file]: source('handle') } });
  await rig.refresh(`printf '%s' '${source('stream')}' > '${file}'`);
  await rig.refresh(`printf '%s' '${source('stream').replace('open', 'fetch')}' > '${file}'`);
  await rig.drain();
  return rig;
}

if (!hasTerminal) console.warn('NOT RUN: the tests of label on a terminal need script(1) of util-linux');

describe.skipIf(!hasTerminal)('label on a terminal', () => {
  const walk = async (rig: Rig, keys: readonly string[]) =>
    onTerminal(['label', '--state-dir', rig.state], {
      cwd: rig.work,
      exchanges: keys.map((key) => [/\[q\] quit/, key] as const),
    });
  const labelsOf = async (rig: Rig) => (await rig.status()).events.map(({ label }) => label).reverse();

  it('takes one key for each unlabelled event, oldest first, without Enter', async () => {
    const rig = await turnsOn('client.py');

    const { rc, screen } = await walk(rig, ['d', 'g']);

    expect(rc).toBe(0);
    expect(await labelsOf(rig)).toEqual(['drift', 'on_goal']);
    expect(screen).toContain('+    stream = open(url)');
    expect(screen).toContain('2 event(s) labelled');
  });

  it('goes back to the one before, skips, and stops when asked', async () => {
    const rig = await turnsOn('client.py');

    await walk(rig, ['s', 'b', 'u', 'q']);

    expect(await labelsOf(rig)).toEqual(['unknown', null]);
  });

  it('ends quietly on Ctrl-C and keeps what was answered', async () => {
    const rig = await turnsOn('client.py');

    const { rc, screen } = await walk(rig, ['d', '\x03']);

    expect(rc).toBe(0);
    expect(screen).not.toContain('bug');
    expect(await labelsOf(rig)).toEqual(['drift', null]);
  });

  it('ignores a key that answers nothing', async () => {
    const rig = await turnsOn('client.py');

    await walk(rig, ['xd', 'q']);

    expect(await labelsOf(rig)).toEqual(['drift', null]);
  });
});

describe('text for a terminal', () => {
  it('fits 80 columns with names in wide letters', async () => {
    const rig = await turnsOn('下载客户端重试逻辑与超时处理.py');

    const { out } = await rig.drift(['status']);

    expect(out).toContain('下载客户端');
    expect(Math.max(...out.split('\n').map(columnsOf))).toBeLessThanOrEqual(80);
  });

  it('lets no file name or file text steer the terminal', async () => {
    const file = 'a\u202eyp.py';
    const rig = await makeRig({ files: { [file]: source('handle') } });
    rig.write(file, 'x = "\x1b[2J\x07\u202e"\n');
    await rig.refresh('true');
    await rig.drain();
    const [event] = (await rig.status()).events;

    const shown = await rig.drift(['show', event?.event_id ?? '']);
    const status = await rig.drift(['status']);

    expect(shown.out).toContain('+x = "␛[2J␇\\u202e"');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may come through.
    expect(shown.out + status.out).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f\u202e]/);
  });
});

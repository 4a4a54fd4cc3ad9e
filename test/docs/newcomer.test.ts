import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parsePage, readPage, root } from '../support/markdown.ts';
import { run, temporaryFolder } from '../support/rig.ts';

const fiveMinutes = 300_000;

/** The blocks of the README up to the end of its walk, in order. */
function walkOf(page: string) {
  const { blocks, headings } = parsePage(readPage(page));
  const [first, second] = headings.filter(({ level }) => level === 2);
  return blocks.filter(({ section }) => section === first?.text || section === second?.text);
}

/** Types every shell block into one shell; marks where the output of each begins. */
function typeAll(
  blocks: ReturnType<typeof walkOf>,
): Promise<{ rc: number | string | null; out: string; err: string }> {
  const script = blocks
    .filter(({ language }) => language === 'sh')
    .map(({ text }, index) => `echo "@@ ${index}"\n${text}`)
    .join('\n');
  return run(['bash', '-e'], { cwd: root, env: { TMPDIR: temporaryFolder() }, input: `${script}\npwd\n` });
}

/** The Chinese page prints the same commands: `translations.test.ts`. */
describe('a newcomer with the README alone', () => {
  it('gets from nothing to a labelled event and a shadow policy in five minutes', async () => {
    const blocks = walkOf('README.md');
    const started = performance.now();

    const { rc, out, err } = await typeAll(blocks);

    expect(rc, err).toBe(0);
    expect(performance.now() - started).toBeLessThan(fiveMinutes);
    const outputs = out.split(/^@@ \d+\n/m).slice(1);
    expect(outputs.length).toBeGreaterThan(4);
    expectPrinted(blocks, outputs);
    const state = join(out.trim().split('\n').at(-1) ?? '', '.drift');
    const status = await run([join(root, 'bin', 'drift'), 'status', '--json', '--state-dir', state]);
    const { label_counts, external_progress_review } = JSON.parse(status.out);
    expect(label_counts).toEqual({ drift: 1, on_goal: 0, unknown: 0 });
    expect(external_progress_review).toMatchObject({ mode: 'shadow' });
  });
});

/** A text block shows lines of what the shell block above it printed, in that order. */
function expectPrinted(blocks: ReturnType<typeof walkOf>, outputs: readonly string[]): void {
  let shells = 0;
  for (const { language, text } of blocks) {
    if (language === 'sh') shells += 1;
    else {
      const printed = outputs[shells - 1]?.split('\n') ?? [];
      const wanted = text.split('\n');
      expect(printed.filter((line) => wanted.includes(line))).toEqual(wanted);
    }
  }
}

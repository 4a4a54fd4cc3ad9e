import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const svg = readFileSync(new URL('../../docs/terminal.svg', import.meta.url), 'utf8');

/** The lines that the last frame shows, top to bottom. */
function lastScreen(): string[] {
  const texts = new Map(
    [...svg.matchAll(/<text id="(\w+)">(.*)<\/text>/g)].map(([, id, markup]) => [
      id,
      markup?.replace(/<[^>]+>/g, ''),
    ]),
  );
  const frame = svg.slice(svg.indexOf('<g class="film">')).split('\n').at(-4) ?? '';
  return [...frame.matchAll(/href="#(\w+)"/g)].map(([, id]) => texts.get(id) ?? '');
}

describe('the recorded terminal', () => {
  it('is small and asks for nothing', () => {
    expect(Buffer.byteLength(svg)).toBeLessThan(100_000);
    expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(
      /https?:|url\(|@import|<script|<image/,
    );
  });

  it('ends with the status of two turns of tidying and one of work, labelled', () => {
    const screen = lastScreen();

    expect(screen).toContain('$ drift status');
    expect(screen.filter((line) => /DRIFT +drift$/.test(line))).toHaveLength(2);
    expect(screen.filter((line) => /undecided \(not proven\) +on_goal$/.test(line))).toHaveLength(1);
  });

  it('names no folder of the machine that it was made on', () => {
    expect(svg).not.toMatch(/\/(tmp|home|root|Users|work)\//);
  });
});

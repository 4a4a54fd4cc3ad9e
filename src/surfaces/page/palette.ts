const names = ['quiet', 'line', 'accent', 'calm', 'drift', 'debt', 'text'] as const;

/** The page's colours as a canvas takes them. */
export type Palette = Readonly<Record<(typeof names)[number], string>>;

/** Reads them as they are now: a custom property may still hold `light-dark()`, a computed colour never does. */
export function readPalette(): Palette {
  const probe = document.createElement('span');
  document.body.append(probe);
  const colours = names.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(colours) as Palette;
}

const MAX_CODE_POINTS = 200;
const FIRST_PRINTABLE = 0x20;

/**
 * Contract §5 "text", for ids and names: trimmed, 1 to 200 code points, no character below U+0020. Null: it is none.
 * Free of packages, for the hot path.
 */
export function readIdentityText(value: string | undefined | null): string | null {
  const text = value?.trim() ?? '';
  const letters = [...text];
  const fits = letters.length > 0 && letters.length <= MAX_CODE_POINTS;
  return fits && letters.every((letter) => (letter.codePointAt(0) ?? 0) >= FIRST_PRINTABLE) ? text : null;
}

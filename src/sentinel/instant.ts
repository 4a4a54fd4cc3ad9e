const ISO_8601 =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|z|[+-]\d\d:?\d\d(?::?\d\d)?)?)?$/;

/**
 * A point in time as microseconds since the epoch, or null for text that is no ISO 8601 date. Without an offset it is
 * UTC, as LoopX reads its own rows. Instants of different offsets compare; their texts would not.
 */
export function instantOf(text: string): number | null {
  const parts = ISO_8601.exec(text);
  if (!parts) return null;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part ?? 0));
  const date = Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute, second);
  const valid = new Date(date)
    .toISOString()
    .startsWith(`${parts[1]}-${parts[2]}-${parts[3]}T${parts[4] ?? '00'}`);
  if (!valid || (minute ?? 0) > 59 || (second ?? 0) > 59) return null;
  const micros = Number((parts[7] ?? '').slice(0, 6).padEnd(6, '0'));
  return date * 1000 + micros - offsetSeconds(parts[8]) * 1_000_000;
}

function offsetSeconds(offset: string | undefined): number {
  if (!offset || /^z$/i.test(offset)) return 0;
  const [hours, minutes, seconds] = offset.slice(1).match(/\d\d/g)?.map(Number) ?? [];
  const size = (hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0);
  return offset.startsWith('-') ? -size : size;
}

/** Later first; text that is no date comes after every date, and among itself by text. */
export function compareInstantsNewestFirst(a: string, b: string): number {
  const [left, right] = [instantOf(a), instantOf(b)];
  if (left !== null && right !== null) return right - left;
  if (left !== null || right !== null) return left !== null ? -1 : 1;
  if (a === b) return 0;
  return a > b ? -1 : 1;
}

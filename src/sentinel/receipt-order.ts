import { asJsonObject, type JsonObject } from '../json/json-object.ts';
import { compareInstantsNewestFirst } from './instant.ts';
import { textOf } from './strip-text.ts';

/** What the order of a receipt is decided by. */
export type OrderedReceipt =
  | JsonObject
  | { readonly run: unknown; readonly recorded_at: unknown; readonly sequence: unknown };

/**
 * Orders receipts newest first by the full key (seed; design §8): the instant of `run.generated_at`, then
 * `recorded_at`, then `sequence`. A `sequence` alone means nothing between two observers, which both start at 0.
 */
export function compareReceiptsNewestFirst(a: OrderedReceipt, b: OrderedReceipt): number {
  const time = (receipt: OrderedReceipt) => textOf(asJsonObject(receipt.run)['generated_at']);
  return (
    compareInstantsNewestFirst(time(a), time(b)) ||
    numberOf(b.recorded_at) - numberOf(a.recorded_at) ||
    numberOf(b.sequence) - numberOf(a.sequence)
  );
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

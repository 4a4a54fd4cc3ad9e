import { asJsonObject, type JsonObject } from '../json/json-object.ts';
import { compareInstantsNewestFirst, instantOf } from './instant.ts';
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
  return (
    compareInstantsNewestFirst(timeOf(a), timeOf(b)) ||
    numberOf(b.recorded_at) - numberOf(a.recorded_at) ||
    numberOf(b.sequence) - numberOf(a.sequence)
  );
}

/** The receipts newest first; of equal ones, the first stays first. */
export function sortReceiptsNewestFirst<T extends OrderedReceipt>(receipts: readonly T[]): T[] {
  const keyed = receipts.map((receipt) => ({ receipt, at: instantOf(timeOf(receipt)) }));
  return keyed
    .sort((a, b) =>
      a.at !== null && b.at !== null && a.at !== b.at
        ? b.at - a.at
        : compareReceiptsNewestFirst(a.receipt, b.receipt),
    )
    .map(({ receipt }) => receipt);
}

const timeOf = (receipt: OrderedReceipt): string => textOf(asJsonObject(receipt.run)['generated_at']);

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

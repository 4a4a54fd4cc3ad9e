import type { Config } from '../../contract/config.ts';
import type { RequestLedger } from './ledger/request-ledger.ts';
import type { Exchange } from './wire/exchange.ts';

/** The `system_one` block of the configuration (design §4). */
export type SystemOneOptions = NonNullable<Config['system_one']>;

export interface SystemOneSetting {
  readonly options: SystemOneOptions;
  /** t: `minimum_label_probability`. */
  readonly labelThreshold: number;
  /** The event that this evaluator is bound to: 64 hex digits. It never enters the request. */
  readonly eventId: string;
  readonly ledger: RequestLedger;
  /**
   * Compares contract revision, configuration epoch and source record with the event's, just before the send and once
   * more when the answer is in. Null: nothing changed; otherwise the reason of `stale`.
   */
  readonly guard: () => Promise<string | null>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Recorded answers in place of the network: nothing leaves, so no permission, key or budget is asked for. */
  readonly recorded?: RecordedAnswers;
}

export interface RecordedAnswers {
  readonly answer: Exchange;
  /** The wording that was answered. */
  readonly questionVersion: string;
}

import { captureFailures } from '../contract/capture-failures.ts';
import { receiptReasons } from '../contract/receipt-reasons.ts';

/** A reason in words: never fine, never drift. One that is not listed is shown as it is spelt. */
export const reasonWords = (reason: string | null): string =>
  reason === null
    ? 'no reason given'
    : (receiptReasons[reason]?.words ?? captureWords[reason] ?? reason.replaceAll('_', ' '));

const captureWords: Readonly<Record<string, string>> = captureFailures;

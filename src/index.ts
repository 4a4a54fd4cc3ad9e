export { deriveSignals } from './sentinel/derive-signals.ts';
export { normalizeReceipt } from './sentinel/normalize-receipt.ts';

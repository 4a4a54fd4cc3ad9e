export { deriveSignals } from './sentinel/derive-signals.ts';
export { normalizeObservation } from './sentinel/normalize-observation.ts';
export { normalizePolicy } from './sentinel/normalize-policy.ts';
export { normalizeReceipt } from './sentinel/normalize-receipt.ts';
export { obligationId } from './sentinel/obligation-id.ts';
export { qualifyDischarge } from './sentinel/qualify-discharge.ts';
export { reviewTrigger } from './sentinel/review-trigger.ts';
export { typedRepeatTrigger } from './sentinel/typed-repeat-trigger.ts';

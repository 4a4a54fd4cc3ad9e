import type { CaptureFailureReason } from '../contract/event.ts';

/** Ends a capture with a typed reason; the host never notices. */
export class CaptureFailed extends Error {
  readonly reason: CaptureFailureReason;
  constructor(reason: CaptureFailureReason) {
    super(reason);
    this.reason = reason;
  }
}

import type { Logger } from 'graphile-worker';

/** The engine's own log is kept silent: its lines would carry payloads and messages that we did not write. */
export const quietLogger = (engine: typeof import('graphile-worker')): Logger =>
  new engine.Logger(() => () => undefined);

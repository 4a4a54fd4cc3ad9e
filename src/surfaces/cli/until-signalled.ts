/** Runs a step that ends early and cleanly on SIGTERM or SIGINT: it finishes what is in hand. */
export async function untilSignalled<T>(step: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.on('SIGTERM', end).on('SIGINT', end);
  try {
    return await step(stop.signal);
  } finally {
    process.off('SIGTERM', end).off('SIGINT', end);
  }
}

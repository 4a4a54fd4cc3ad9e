/** Milliseconds of a clock that nobody sets. Not `performance.now()`, whose first call costs a twentieth of Node's start. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

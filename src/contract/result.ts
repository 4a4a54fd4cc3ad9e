/** What a fallible step gives back: its value, or an expected failure. Bugs throw instead. */
export type Result<T, F> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: F };

/** Wraps a value. */
export const ok = <T>(value: T): Result<T, never> => ({ ok: true, value });

/** Wraps an expected failure. */
export const fail = <F>(failure: F): Result<never, F> => ({ ok: false, failure });

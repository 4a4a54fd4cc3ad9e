import { createContext, Script } from 'node:vm';

const holder: { work: (() => unknown) | null } = { work: null };
const context = createContext(holder);
const script = new Script('work()');

/**
 * What `work` returns, or null when it takes longer: libraries that cannot be asked to stop are stopped. The engine ends
 * whatever runs inside, wherever it was defined; a promise that `work` returns goes on unbounded.
 */
export function callWithin<T>(milliseconds: number, work: () => T): { readonly value: T } | null {
  holder.work = work;
  try {
    return { value: script.runInContext(context, { timeout: milliseconds }) as T };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null;
    throw error;
  } finally {
    holder.work = null;
  }
}

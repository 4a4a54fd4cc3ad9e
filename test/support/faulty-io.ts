import type { SpoolIo } from '../../src/spool/spool-io.ts';

/** The process is gone: nothing it would have done after this happens. */
export class Crash extends Error {}

type Call = keyof SpoolIo;

/** One call as a fault sees it; `n` counts from 1. */
export interface Asked {
  readonly n: number;
  readonly call: Call;
  readonly args: readonly unknown[];
}

/** Throws, answers in the call's place, or lets it through by giving nothing back. */
export type Fault = (asked: Asked) => { readonly answer: unknown } | undefined;

/** An io with a fault in it, and the calls that were made. */
export interface FaultyIo {
  readonly io: SpoolIo;
  readonly calls: readonly Asked[];
}

export function faultyIo(real: SpoolIo, fault: Fault): FaultyIo {
  const calls: Asked[] = [];
  const names = Object.keys(callNames) as Call[];
  const io = Object.fromEntries(
    names.map((call) => [
      call,
      (...args: unknown[]) => {
        const asked = { n: calls.length + 1, call, args };
        calls.push(asked);
        const instead = fault(asked);
        if (instead) return instead.answer;
        return (real[call] as (...args: unknown[]) => unknown)(...args);
      },
    ]),
  );
  return { io: io as unknown as SpoolIo, calls };
}

const callNames: Readonly<Record<Call, true>> = {
  openSync: true,
  closeSync: true,
  writeSync: true,
  readSync: true,
  fsyncSync: true,
  fstatSync: true,
  fchmodSync: true,
  ftruncateSync: true,
  linkSync: true,
  unlinkSync: true,
  renameSync: true,
  mkdirSync: true,
  chmodSync: true,
  readdirSync: true,
  statSync: true,
  lstatSync: true,
};

/** The process dies just before its k-th call; what it would do in its `finally` blocks dies with it. */
export const crashAt =
  (k: number): Fault =>
  ({ n }) => {
    if (n >= k) throw new Crash(`at call ${k}`);
    return undefined;
  };

/** The k-th call fails with an errno; the process lives on. */
export const failAt =
  (k: number, code: string): Fault =>
  ({ n, call }) => {
    if (n === k) throw Object.assign(new Error(`${code} at ${call}`), { code });
    return undefined;
  };

/** Every call of some kinds fails. */
export const failOn =
  (kinds: readonly Call[], code: string): Fault =>
  ({ call }) => {
    if (kinds.includes(call)) throw Object.assign(new Error(`${code} at ${call}`), { code });
    return undefined;
  };

export const noFault: Fault = () => undefined;

import { readStart } from './read-start.ts';

/** The fields of /proc/PID/stat that job control needs (proc(5)). */
export interface ProcessStat {
  /** `T`: stopped by a signal. */
  readonly state: string;
  readonly processGroup: number;
  /** 0: none. */
  readonly terminal: number;
  readonly foregroundGroup: number;
}

/** Null where there is no /proc, or no such process. */
export function readProcessStat(pid: number | 'self'): ProcessStat | null {
  try {
    const text = readStart(`/proc/${pid}/stat`, 4096).toString('latin1');
    // The name in field 2 may hold anything, parentheses too.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return {
      state: fields[3 - 3] ?? '',
      processGroup: Number(fields[5 - 3]),
      terminal: Number(fields[7 - 3]),
      foregroundGroup: Number(fields[8 - 3]),
    };
  } catch {
    return null;
  }
}

import { existsSync, readFileSync } from 'node:fs';

/** False for a process that is gone, and for one that has ended and waits to be reaped. */
export function isRunning(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  if (existsSync('/proc/self/stat'))
    return existsSync(stat) && !/^\d+ \(.*\) [ZX]/s.test(readFileSync(stat, 'utf8'));
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

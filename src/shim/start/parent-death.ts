import { readStart } from '../command/read-start.ts';

/** More than util-linux's setpriv has. BusyBox is larger, and does not know the option. */
const MAX_PROGRAM_BYTES = 262_144;

/**
 * The words that make the command die with drift, so that a killed wrapper (`subprocess.run(timeout=…)`, out of memory)
 * leaves nobody behind who keeps the caller's pipes open. Empty where the system does not offer it: setpriv would refuse
 * to start anything if it did not know the option, so its own text is asked.
 */
export function dieWithParent(): string[] {
  for (const program of ['/usr/bin/setpriv', '/bin/setpriv']) {
    try {
      if (readStart(program, MAX_PROGRAM_BYTES).includes('pdeathsig'))
        return [program, '--pdeathsig', 'KILL', '--'];
    } catch {
      // Not there: no harm, the command starts without it.
    }
  }
  return [];
}

import { spawn } from 'node:child_process';

/** How a probe ended. 126 or 127 when it could not be started, as a shell says it. */
export interface ProbeOutcome {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
}

const forwarded: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'];
/** A terminal sends these to the whole foreground group, so the probe has them already. */
const fromTerminal: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

/**
 * Runs a probe with the caller's own streams, passing signals on, and gives back how it ended.
 *
 * @param stdout the descriptor that the probe writes its stdout to: 1, or 2 where stdout is for one JSON document
 */
export function runProbe(command: readonly string[], stdout: 1 | 2): Promise<ProbeOutcome> {
  const [program = '', ...words] = command;
  return new Promise((resolve) => {
    const listeners = forwarded.map((signal) => {
      const pass = () => {
        if (!(process.stdin.isTTY && fromTerminal.includes(signal))) child?.kill(signal);
      };
      process.on(signal, pass);
      return () => process.off(signal, pass);
    });
    const end = (outcome: ProbeOutcome) => {
      for (const remove of listeners) remove();
      resolve(outcome);
    };
    const cannotStart = ({ code }: NodeJS.ErrnoException) => {
      const missing = code === 'ENOENT';
      process.stderr.write(`${program}: ${missing ? 'command not found' : (code ?? 'cannot be started')}\n`);
      end({ exit: missing ? 127 : 126, signal: null });
    };
    let child: ReturnType<typeof spawn> | undefined;
    try {
      child = spawn(program, words, { stdio: ['inherit', stdout, 'inherit'] });
      child.on('error', cannotStart);
      child.on('exit', (exit, signal) => end({ exit, signal }));
    } catch (error) {
      cannotStart(error as NodeJS.ErrnoException);
    }
  });
}

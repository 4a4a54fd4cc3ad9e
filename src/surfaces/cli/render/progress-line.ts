import type { Io } from '../io.ts';

const clear = '\r\u001b[K';

/**
 * One line on a terminal's stderr that says what is running and for how many seconds; nothing anywhere else.
 * Call it with a label to begin, with null when that has ended.
 */
export function progressLine({ stderr, tty, columns, now }: Io): (label: string | null) => void {
  if (!tty.stderr) return () => undefined;
  let timer: NodeJS.Timeout | undefined;
  return (label) => {
    clearInterval(timer);
    stderr.write(clear);
    if (label === null) return;
    const startedAt = now();
    const show = () => {
      const seconds = Math.round((now() - startedAt) / 1_000);
      stderr.write(`${clear}${`running ${label} … ${seconds} s`.slice(0, columns - 1)}`);
    };
    show();
    timer = setInterval(show, 1_000);
    timer.unref();
  };
}

import type { GateCommand } from '../contract/gate.ts';
import { type Environment, findExecutable } from './resolve-runner.ts';

/** Words that only a shell knows. */
const builtins = new Set(
  '. : alias bg break cd command continue eval exec exit export fg getopts hash jobs read readonly return set shift source times trap type ulimit umask unalias unset wait case for if until while'.split(
    ' ',
  ),
);

/** Nothing in it that a shell would give a meaning to. */
const isPlain = (line: string): boolean => /^[\w\s./:@%+,-]+$/.test(line);

/**
 * The argv of a command line. A line of plain words is started as it stands, so that a program which is not there is
 * told from one that fails; anything that needs a shell gets `sh -c`.
 */
export function argvOfLine(line: string, where: Environment): [string, ...string[]] {
  const [first = '', ...rest] = line.trim().split(/\s+/);
  const needsShell = !isPlain(line) || first === '' || (builtins.has(first) && !findExecutable(first, where));
  return needsShell ? ['sh', '-c', line] : [first, ...rest];
}

/** A command of the gate from a line (`--cmd`). */
export const commandOfLine = (line: string, where: Environment): GateCommand => ({
  label: line.trim(),
  argv: argvOfLine(line, where),
  skipExit: [],
  exit127: 'skip',
});

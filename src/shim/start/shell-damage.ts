import { realpathSync, statSync } from 'node:fs';

const shell = '/bin/sh';

/** Variables that dash and BusyBox replace even where the caller exported them. */
const replacedByEveryShell = ['IFS', 'OPTIND', 'PPID', 'LINENO'];
/** What other shells also set. */
const replacedByOthers = ['PWD', 'OLDPWD', 'SHLVL', '_'];

/**
 * What a shell in front of the command would do to the environment, as the words for env(1) that undo it: names that
 * are no identifiers are dropped by dash, PWD is corrected, and some variables are the shell's own.
 */
export function undoShellDamage(environment: Readonly<Record<string, string | undefined>>): string[] {
  const names = isSmallShell() ? replacedByEveryShell : [...replacedByEveryShell, ...replacedByOthers];
  const touched = new Set(
    names.includes('PWD') || namesWorkingFolder(environment['PWD']) ? names : [...names, 'PWD'],
  );
  const odd = Object.keys(environment).filter((name) => !/^[a-z_]\w*$/i.test(name));
  const set = [...touched].filter((name) => environment[name] !== undefined);
  const unset = [...touched].filter(
    (name) => environment[name] === undefined && !replacedByEveryShell.includes(name),
  );
  return [
    ...unset.flatMap((name) => ['-u', name]),
    ...[...odd, ...set].map((name) => `${name}=${environment[name]}`),
  ];
}

function isSmallShell(): boolean {
  try {
    return /\/(dash|busybox)$/.test(realpathSync(shell));
  } catch {
    return false;
  }
}

/** Whether PWD names the working folder, so that a shell leaves it alone. Also keeps it from complaining. */
export function namesWorkingFolder(pwd: string | undefined): boolean {
  if (!pwd?.startsWith('/')) return false;
  try {
    const [named, here] = [statSync(pwd), statSync('.')];
    return named.ino === here.ino && named.dev === here.dev;
  } catch {
    return false;
  }
}

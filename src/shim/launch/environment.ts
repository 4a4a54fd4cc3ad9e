import type { LaunchFacts } from './launch-facts.ts';

/** What the launcher's first line put there; it has already given PWD back. */
const launchersOwn = new Set(['drift_pwd', 'PWD']);

/**
 * Makes `process.env` the caller's environment again: with the variables that were kept from drift's own Node, and
 * without what the launching shell dropped, added or changed. Node reads its own variables at start only, so they no
 * longer matter to drift, and `spawn` hands `process.env` on.
 */
export function restoreEnvironment({ hiddenVariables, environ }: LaunchFacts): void {
  for (const variable of hiddenVariables) setVariable(variable);
  if (environ === null) return;
  const variables = environ
    .toString('utf8')
    .split('\0')
    .filter((variable) => variable.indexOf('=') > 0);
  const names = new Set(variables.map(nameOf));
  for (const name of Object.keys(process.env))
    if (!names.has(name) && !launchersOwn.has(name)) delete process.env[name];
  for (const variable of variables) if (!launchersOwn.has(nameOf(variable))) setVariable(variable);
}

const nameOf = (variable: string): string => variable.slice(0, variable.indexOf('='));

function setVariable(variable: string): void {
  process.env[nameOf(variable)] = variable.slice(nameOf(variable).length + 1);
}

import type { LaunchFacts } from './launch-facts.ts';

/** The launcher's first line put the one there, and has given back the other. */
const launchersOwn = ['drift_pwd', 'PWD'];
/** Behind drift-sh nobody has read that line. */
const hasFirstLine = (variables: readonly string[]): boolean =>
  variables.some((variable) => variable.startsWith('drift_pwd='));

/**
 * Makes `process.env` the caller's environment again: with the variables that travelled under another name, and
 * without what the launching shell dropped, added or changed. Node reads its own variables at start only, so they no
 * longer matter to drift, and `spawn` hands `process.env` on.
 */
export function restoreEnvironment({ hiddenVariables }: LaunchFacts): void {
  for (const name of hiddenVariables) {
    process.env[name] = process.env[hidingName + name];
    delete process.env[hidingName + name];
  }
  const environ = process.env['drift_environ'];
  if (environ === undefined) return;
  delete process.env['drift_environ'];
  const variables = variablesIn(Buffer.from(environ, 'base64').toString('utf8'));
  const names = new Set(variables.map(nameOf));
  const settled = new Set(hasFirstLine(variables) ? launchersOwn : []);
  for (const name of Object.keys(process.env))
    if (!names.has(name) && !settled.has(name)) delete process.env[name];
  for (const variable of variables)
    if (!settled.has(nameOf(variable)))
      process.env[nameOf(variable)] = variable.slice(nameOf(variable).length + 1);
}

const hidingName = 'drift_hidden_';

/**
 * The caller's variables as bytes, one character each, from the block that this process was started with
 * (`/proc/self/environ`): the names that the launcher gave them taken off.
 */
export function callersVariables(block: string): string[] {
  const variables = variablesIn(block);
  const whole = variables.find((variable) => variable.startsWith('drift_environ='));
  const callers = whole
    ? variablesIn(Buffer.from(whole.slice(whole.indexOf('=') + 1), 'base64').toString('latin1'))
    : variables;
  // There the launcher has not given back PWD yet.
  const isPut = whole !== undefined && hasFirstLine(callers);
  return callers
    .filter((variable) => !isPut || !variable.startsWith('PWD='))
    .map((variable) => variable.replace(/^drift_hidden_/, '').replace(/^drift_pwd=/, 'PWD='));
}

const variablesIn = (block: string): string[] =>
  block.split('\0').filter((variable) => variable.indexOf('=') > 0);

const nameOf = (variable: string): string => variable.slice(0, variable.indexOf('='));

import { execFileSync } from 'node:child_process';

/** Vitest global set-up: the tests drive the built program. */
export function setup(): void {
  execFileSync(process.execPath, ['build.mjs'], { stdio: ['ignore', 'ignore', 'inherit'] });
}

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type NodeParts, readParts } from './node-parts.ts';

const TRIAL_MS = 10_000;
const trial = fileURLToPath(new URL('./try-node-parts.js', import.meta.url));

/**
 * Tries the parts of this very Node in processes of their own; one that ends in any other way than expected is not used.
 * Throws where a trial could not be made, or had no time to end: then nothing is known.
 */
export function findNodeParts(trialMs = TRIAL_MS): NodeParts {
  const words = ['spawn', 'hash'].map((part) => [part, tryPart(part, trialMs)] as const);
  return readParts(new Map(words));
}

function tryPart(part: string, trialMs: number): string {
  const { status, stdout, error } = spawnSync(
    '/bin/sh',
    ['-c', 'ulimit -c 0; exec "$@"', 'sh', process.execPath, trial, part],
    { env: {}, stdio: ['ignore', 'pipe', 'ignore'], timeout: trialMs },
  );
  if (error) throw error;
  return status === 0 ? stdout.toString().trim() : '';
}

import { existsSync } from 'node:fs';
import type { Failure } from '../contract/failure.ts';
import { ok, type Result } from '../contract/result.ts';
import { replaceRegistry } from './replace-registry.ts';

/**
 * Lets a second observer of a goal go by the policy of the first (design §3): its own registry names the other's, in
 * the shape in which LoopX's mirror names its source. A registry that is there already stays.
 */
export function shareRegistry(
  own: string,
  {
    source,
    goalId,
    runtimeRoot,
  }: { readonly source: string; readonly goalId: string; readonly runtimeRoot: string },
): Result<null, Failure> {
  if (own === source || existsSync(own)) return ok(null);
  const registry = {
    schema_version: '0.1',
    common_runtime_root: runtimeRoot,
    goals: [{ id: goalId, source_registry: source }],
  };
  return replaceRegistry(own, `${JSON.stringify(registry, null, 2)}\n`);
}

import type { z } from 'zod';
import type { Failure, FailureReason } from './failure.ts';
import { nearestName } from './nearest-name.ts';
import { fail, ok, type Result } from './result.ts';

interface Source {
  readonly file: string;
  /** What to call the failure: `config_invalid`, `basis_invalid`, … */
  readonly reason: FailureReason;
}

/** Checks a parsed document against its schema; the failure names the first key at fault and the nearest known one. */
export function parseShape<S extends z.ZodType>(
  schema: S,
  value: unknown,
  source: Source,
): Result<z.infer<S>, Failure> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const issue = parsed.error.issues[0];
  if (issue?.code === 'unrecognized_keys') {
    const unknown = issue.keys[0] ?? '';
    const nearest = nearestName(unknown, knownKeys(schema, issue.path));
    const field = [...issue.path, unknown].map(String).join('.');
    return fail({
      ...source,
      field,
      detail: `${unknown} is not a known key`,
      ...(nearest ? { nearest } : {}),
    });
  }
  return fail({
    ...source,
    field: issue?.path.map(String).join('.') ?? '',
    detail: issue?.message ?? 'not valid',
  });
}

function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let at: unknown = schema;
  for (const key of path) at = shapeOf(at)?.[String(key)];
  return Object.keys(shapeOf(at) ?? {});
}

/** The shape of an object schema behind its optional, default and array wrappers. */
function shapeOf(schema: unknown): Record<string, unknown> | undefined {
  let at = schema as
    | { shape?: Record<string, unknown>; def?: { innerType?: unknown; element?: unknown } }
    | undefined;
  while (at && !at.shape) at = (at.def?.innerType ?? at.def?.element) as typeof at;
  return at?.shape;
}

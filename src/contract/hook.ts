import { z } from 'zod';

export const hookHosts = ['claude-code', 'codex'] as const;
export type HookHost = (typeof hookHosts)[number];

/**
 * What a host says on a hook's standard input; both hosts use these names. Everything else in it is ignored, and what
 * has another type counts as left out: a hook must not fail its host.
 */
export const hookPayloadSchema = z.object({
  /** `Stop` where a host does not say. */
  hook_event_name: z.string().min(1).catch('Stop'),
  session_id: z.string().min(1).nullable().catch(null),
  /** Codex only. */
  turn_id: z.string().min(1).nullable().catch(null),
  transcript_path: z.string().min(1).nullable().catch(null),
  cwd: z.string().startsWith('/').nullable().catch(null),
  /** The turn goes on because a stop hook held it. */
  stop_hook_active: z.boolean().catch(false),
});
export type HookPayload = z.infer<typeof hookPayloadSchema>;

/** What a hook answers; null is nothing at all, which lets the host go. */
export type HookAnswer =
  | { readonly decision: 'block'; readonly reason: string }
  | { readonly systemMessage: string }
  | { readonly hookSpecificOutput: { readonly hookEventName: string; readonly additionalContext: string } }
  | null;

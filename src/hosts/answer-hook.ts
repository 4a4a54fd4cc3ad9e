import type { HookAnswer, HookPayload } from '../contract/hook.ts';

/** The open obligation of the agent, as far as a hook speaks of it. */
export interface OwedByAgent {
  readonly obligation_id: string;
  /** The text for the agent. */
  readonly prompt: string;
}

export interface HookSettings {
  /** The owner's choice: a stop with an open obligation is held once. */
  readonly block: boolean;
  /** Notes down the one block of an obligation and session; false when there has been one, or it cannot be noted. */
  readonly claimBlock: (obligationId: string, session: string) => boolean;
}

/** Events whose answer a host adds to what the agent reads next, without holding anything. */
const contextEvents: readonly string[] = ['UserPromptSubmit', 'SessionStart'];

/**
 * What to tell a host about an open obligation. Before a prompt it is context for the agent. At a stop it is a message
 * to the user, because context given there would keep the turn going; with `block` the stop is held instead, at most
 * once per obligation and session, so that no loop can arise even where the host forgets that it was held.
 */
export function answerHook(
  payload: HookPayload,
  owed: OwedByAgent | null,
  settings: HookSettings,
): HookAnswer {
  if (owed === null) return null;
  const { hook_event_name: event, stop_hook_active: isHeld } = payload;
  if (contextEvents.includes(event))
    return { hookSpecificOutput: { hookEventName: event, additionalContext: owed.prompt } };
  if (event !== 'Stop') return null;
  if (!settings.block) return { systemMessage: `drift: ${owed.prompt}` };
  const mayBlock = !isHeld && settings.claimBlock(owed.obligation_id, payload.session_id ?? '');
  if (mayBlock) return { decision: 'block', reason: owed.prompt };
  return {
    systemMessage: `drift: obligation ${owed.obligation_id} is still open; this stop was held once and is let go.`,
  };
}

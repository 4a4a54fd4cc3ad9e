import { createHash } from 'node:crypto';
import { asciiJson, spacedSeparators } from '../json/ascii-json.ts';
import { asJsonObject, type JsonObject } from '../json/json-object.ts';
import { textOf } from './strip-text.ts';

export const obligationSchemaVersion = 'autonomous_replan_obligation_v0';

export interface ObligationIdInput {
  readonly trigger: unknown;
  /** Left out: the trigger's agent. */
  readonly agent_id?: unknown;
  /** The obligation that the lane's newest acknowledgement closed; anything that is no obligation id counts as none. */
  readonly rearmed_after_obligation_id?: unknown;
}

const OBLIGATION_ID = /^replan-[0-9a-f]{16}$/;
const IDENTITY_KEYS = [
  'kind',
  'frontier_identity',
  'frontier_revision',
  'monitor_target_id',
  'progress_fingerprint',
  'agent_id',
] as const;

/** A valid obligation id after stripping, or null. */
export function obligationIdOf(value: unknown): string | null {
  const id = textOf(value);
  return OBLIGATION_ID.test(id) ? id : null;
}

/** Where the work stood: the trigger's own frontier, or the repeated claim of a typed repeat. */
export function frontierOf(trigger: JsonObject): string | null {
  const stated = textOf(trigger['frontier_identity']);
  if (stated !== '') return stated;
  return trigger['kind'] === 'typed_progress_repeat'
    ? `progress:${textOf(trigger['progress_fingerprint'])}`
    : null;
}

/**
 * The id of the obligation that a trigger raises, equal to LoopX's own (contract §7, §13.5). It holds what the
 * obligation is about and nothing that passes: looking again, or a bookkeeping row, does not change it; a newer claim
 * of the agent does.
 */
export function obligationId(input: ObligationIdInput): { readonly obligation_id: string } {
  const { trigger: raw, agent_id: agent, rearmed_after_obligation_id: rearmed } = asJsonObject(input);
  const trigger = asJsonObject(raw);
  const identity = {
    schema_version: obligationSchemaVersion,
    agent_id: textOf(agent === undefined ? trigger['agent_id'] : agent) || null,
    frontier_identity: frontierOf(trigger),
    rearmed_after_obligation_id: obligationIdOf(rearmed),
    trigger_identity: [
      Object.fromEntries(
        IDENTITY_KEYS.map((key) => [key, trigger[key]]).filter(([, value]) => value != null),
      ),
    ],
  };
  const digest = createHash('sha256').update(asciiJson(identity, spacedSeparators)).digest('hex');
  return { obligation_id: `replan-${digest.slice(0, 16)}` };
}

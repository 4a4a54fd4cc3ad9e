import type { Discharge } from '../contract/obligation.ts';
import { isJsonObject, type JsonObject } from '../json/json-object.ts';
import type { Obligation } from '../sentinel/obligation.ts';
import { requiredOutcomes } from '../sentinel/qualify-discharge.ts';
import { textOf } from '../sentinel/strip-text.ts';

/** Why a claim did not close an obligation; the claim itself stays an ordinary one. */
export interface Refusal {
  readonly schema_version: 'replan_writeback_rejection_v0';
  readonly required: true;
  readonly host_action: 'write_typed_semantic_delta';
  readonly obligation_id: string;
  readonly reason_code: string | null;
  /** When the claim was made. */
  readonly generated_at?: string;
}

/** What an accepted writeback leaves on its row (contract §2). */
export function acknowledgementOf(
  obligation: Obligation,
  { outcomes, satisfying_outcomes }: Discharge,
  fingerprint: string | null,
): object {
  const { obligation_id, frontier_identity, triggers } = obligation;
  return {
    schema_version: 'autonomous_replan_ack_v0',
    recorded: true,
    source: 'refresh_state_semantic_delta',
    ...(frontier_identity === null ? {} : { frontier_identity }),
    semantic_delta: {
      schema_version: 'replan_semantic_delta_v0',
      accepted: true,
      outcomes,
      satisfying_outcomes,
      required_any_of: requiredOutcomes(triggers[0].kind),
      obligation_id,
      ...(fingerprint === null ? {} : { observation_fingerprint: fingerprint }),
      reason: 'the writeback changes an outcome that this obligation accepts',
    },
  };
}

const REFUSAL_KEY = 'replan_writeback';

/** What a refused writeback leaves on its row. */
export const refusalRecord = ({ obligation_id }: Obligation, { reason_code }: Discharge): object => ({
  [REFUSAL_KEY]: {
    schema_version: 'replan_writeback_rejection_v0',
    required: true,
    host_action: 'write_typed_semantic_delta',
    obligation_id,
    reason_code: reason_code ?? null,
  } satisfies Refusal,
});

/**
 * The row as policy sees it. A refused claim stays in the history for people to read, but it opens no new baseline:
 * LoopX would not have recorded it, and an agent that brings the missing evidence must not be measured by its own
 * failed attempt.
 */
export function withoutRefusedClaim(row: JsonObject): JsonObject {
  if (refusalOf(row) === null) return row;
  const { progress_observation: _, ...rest } = row;
  return rest;
}

/** The refusal that a row carries. */
export function refusalOf(row: JsonObject): Refusal | null {
  const refusal = row[REFUSAL_KEY];
  if (!isJsonObject(refusal)) return null;
  return {
    schema_version: 'replan_writeback_rejection_v0',
    required: true,
    host_action: 'write_typed_semantic_delta',
    obligation_id: textOf(refusal['obligation_id']),
    reason_code: textOf(refusal['reason_code']) || null,
  };
}

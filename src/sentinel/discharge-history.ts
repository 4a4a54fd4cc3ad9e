import type { ProgressObservation } from '../contract/observation.ts';
import { asJsonObject, type JsonObject } from '../json/json-object.ts';
import { acknowledgesFor } from './lane.ts';
import { obligationIdOf } from './obligation-id.ts';
import { agentOf, claimOf } from './run-row.ts';

/** What already closed obligations of one agent, as far back as the rows go. */
export interface DischargeHistory {
  /** The obligation that the newest acknowledgement closed. */
  readonly rearmed_after_obligation_id: string | null;
  readonly discharged: readonly ProgressObservation[];
  readonly discharged_visions: readonly JsonObject[];
  /** Evidence ids that the agent had cited by its newest acknowledgement. */
  readonly earlier_evidence_ids: readonly string[];
}

/** Reads an agent's acknowledgements out of rows, newest first. A claim beside a vision that was accepted alone closed nothing. */
export function dischargeHistory(rows: readonly JsonObject[], agent: string): DischargeHistory {
  const acknowledged = rows.filter((row) => acknowledgesFor(row, agent));
  const [newest] = acknowledged;
  const since = newest ? rows.slice(rows.indexOf(newest)) : [];
  const byClaim = acknowledged.filter((row) => satisfyingOf(row).some((outcome) => outcome !== VISION));
  const byVision = acknowledged.filter((row) => satisfyingOf(row).includes(VISION));
  return {
    rearmed_after_obligation_id: newest ? obligationIdOf(deltaOf(newest)['obligation_id']) : null,
    discharged: byClaim.map(claimOf).filter((claim) => claim !== null),
    discharged_visions: byVision.map((row) => asJsonObject(row['agent_vision'])),
    earlier_evidence_ids: since
      .filter((row) => agentOf(row) === agent)
      .flatMap((row) => claimOf(row)?.evidence_ids ?? []),
  };
}

const VISION = 'fresh_vision_path_outcome';

const deltaOf = (row: JsonObject): JsonObject =>
  asJsonObject(asJsonObject(row['autonomous_replan_ack'])['semantic_delta']);

/** Where the row does not say what satisfied, all that it carries may have. */
function satisfyingOf(row: JsonObject): readonly unknown[] {
  const outcomes = deltaOf(row)['satisfying_outcomes'];
  return Array.isArray(outcomes) ? outcomes : [VISION, 'any_claim'];
}

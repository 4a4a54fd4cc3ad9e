import { type FinalityVerdict, finalityRunSchema } from '../contract/finality.ts';
import { fingerprintOf } from './fingerprint.ts';
import { judgeTurn, newRun, type Turn } from './judge-turn.ts';

/**
 * Judges a whole run, `{case_id, turns: [{observation, action}]}`, turn by turn; the first broken rule ends it.
 * All turns are validated before any is judged; an invalid run is `{ok: false}` with the field at fault, which is
 * no verdict.
 */
export function judgeFinality(input: unknown): FinalityVerdict {
  const parsed = finalityRunSchema.safeParse(input);
  if (!parsed.success) return invalid(parsed.error.issues[0]?.path.join('.') ?? '');
  const turns: Turn[] = [];
  for (const [index, { observation, action }] of parsed.data.turns.entries()) {
    const fingerprint = fingerprintOf(observation);
    if (fingerprint === null) return invalid(`turns.${index}.observation.semantic_state`);
    turns.push({ observation, fingerprint, action: action.kind });
  }
  return judgeTurns(turns);
}

const invalid = (field: string): FinalityVerdict => ({ ok: false, reason: 'invalid_run', field });

function judgeTurns(turns: readonly Turn[]): FinalityVerdict {
  const run = newRun();
  for (const [index, turn] of turns.entries()) {
    const { rule, checksForState } = judgeTurn(run, turn);
    if (rule !== null)
      return {
        passed: false,
        failed_rule: rule,
        failed_turn: index,
        checks_for_state: checksForState,
        identical_repolls: run.identicalRepolls,
      };
  }
  const most = [...run.checks.values()].reduce((largest, count) => Math.max(largest, count), 0);
  return { passed: true, checks_for_state: most, identical_repolls: run.identicalRepolls };
}

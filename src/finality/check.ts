import type { CheckLedger, CheckRequest, CheckRuling } from '../contract/check.ts';
import type { Failure } from '../contract/failure.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { changeLedger, readLedger, readLedgers } from './check-ledger.ts';
import { fingerprintOf } from './fingerprint.ts';
import { newLedger, ruleOnCheck } from './rule-on-check.ts';

const keptResets = 20;

/**
 * Rules on one call of `drift check` and records it, durably, before it answers: whoever is told `allow` is told so
 * alone and once per state. Fails with `ledger_unavailable` (nothing may be started then),
 * `dependency_contract_changed` (nothing recorded) or `json_invalid` for a semantic state that is no I-JSON.
 *
 * @param now ISO 8601
 */
export async function check(
  stateDir: string,
  request: CheckRequest,
  now: string,
): Promise<Result<CheckRuling, Failure>> {
  const fingerprint = fingerprintOf(request.observation);
  if (fingerprint === null)
    return fail({ reason: 'json_invalid', field: '--semantic', detail: 'RFC 8785 has no form for it' });
  return changeLedger(stateDir, request.id, (stored) => {
    const ruled = ruleOnCheck(stored ?? newLedger(request.id), request, fingerprint, now);
    if (ruled) return ok({ ledger: ruled.ledger, answer: ruled.ruling });
    const { stage, dependency_required_for_next_stage: required } = request.observation;
    return fail({
      reason: 'dependency_contract_changed',
      field: required ? '--required' : '--not-required',
      detail: `stage ${stage} of ${request.id} began with the opposite`,
    });
  });
}

/** Forgets what an id has used up and agreed on, and keeps the reason. Fails with `entry_not_found` too. */
export async function resetCheck(
  stateDir: string,
  id: string,
  { reason, now }: { readonly reason: string; readonly now: string },
): Promise<Result<CheckLedger, Failure>> {
  return changeLedger(stateDir, id, (stored) => {
    if (!stored) return fail({ reason: 'entry_not_found', field: id });
    const resets = [...stored.resets, { reason, at: now }].slice(-keptResets);
    const ledger = { ...newLedger(id), updated_at: now, resets };
    return ok({ ledger, answer: ledger });
  });
}

/** The ledger of one id. Fails with `entry_not_found` or `ledger_unavailable`. */
export function showCheck(stateDir: string, id: string): Result<CheckLedger, Failure> {
  const stored = readLedger(stateDir, id);
  if (!stored.ok) return stored;
  return stored.value.ledger ? ok(stored.value.ledger) : fail({ reason: 'entry_not_found', field: id });
}

/** The entries that are not yet complete, by id; and how many ledgers cannot be read. For `drift status`. */
export function openChecks(stateDir: string): {
  readonly entries: readonly NonNullable<CheckLedger['entry']>[];
  readonly damaged: number;
} {
  const { ledgers, damaged } = readLedgers(stateDir);
  const entries = ledgers.flatMap(({ open, entry }) => (open && entry ? [entry] : []));
  entries.sort((a, b) => (a.id < b.id ? -1 : 1));
  return { entries, damaged: damaged.length };
}

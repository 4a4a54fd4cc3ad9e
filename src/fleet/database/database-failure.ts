import type { Failure } from '../../contract/failure.ts';
import { fail, type Result } from '../../contract/result.ts';

/** SQLSTATE classes and codes that mean "not now": lost, shutting down, starting up, full, deadlocked, timed out. */
const passing = /^(08...|57P0[1-5]|53300|40001|40P01|55P03|57014|25P03)$/;
const notMigrated = /^(3F000|42P01|42883)$/;
const system =
  /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE|ENOENT)$/;
const tls = /^(ERR_TLS_|ERR_SSL_|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|EPROTO$)/;

/** What the client says, in words of its own and without a code, of a connection that is gone or never came about. */
const lostConnection = /^(Connection terminated|timeout expired|timeout exceeded|Query read timeout|Client )/;

/**
 * What went wrong with the database, as a typed failure; null: a bug of ours, to be thrown. Only the code is told,
 * because a message may quote a value. Reasons: database_unreachable, database_refused, database_not_migrated.
 */
export function databaseFailure(error: unknown): Failure | null {
  if (!(error instanceof Error)) return null;
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) {
    if (lostConnection.test(error.message))
      return { reason: 'database_unreachable', detail: 'the connection was lost' };
    return /SSL|SASL|SCRAM/.test(error.message)
      ? { reason: 'database_refused', detail: error.message.slice(0, 120) }
      : null;
  }
  if (system.test(code) || passing.test(code)) return { reason: 'database_unreachable', detail: code };
  if (notMigrated.test(code)) return { reason: 'database_not_migrated', detail: code };
  if (tls.test(code) || /^[0-9A-Z]{5}$/.test(code)) return { reason: 'database_refused', detail: code };
  return null;
}

/** Runs a step that talks to the database; what the database or the network do comes back as a value. */
export async function guardDatabase<T>(step: () => Promise<Result<T, Failure>>): Promise<Result<T, Failure>> {
  try {
    return await step();
  } catch (error) {
    const failure = databaseFailure(error);
    if (failure === null) throw error;
    return fail(failure);
  }
}

/** The database cannot be asked now; the same may work later. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}

/**
 * Node's codes for what the system refused: ECONNREFUSED, ENETUNREACH, EMFILE and dozens more. Those of Node's own
 * checks begin with ERR_, and no SQLSTATE begins with an E.
 */
const SYSTEM = /^E(?!RR_)[A-Z]/;

/** What `pg` says without a code when a connection ends or cannot be had. */
const MESSAGES =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/;

/**
 * Whether an error means that the database is down or going: an error of the system, or SQLSTATE classes 08 (connection),
 * 53 (out of resources) and 57P (operator intervention) of the PostgreSQL manual, appendix A.
 */
export function isDatabaseDown(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return true;
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') return SYSTEM.test(code) || /^(08|53|57P)/.test(code);
  return MESSAGES.test(error.message);
}

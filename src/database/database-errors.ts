/** The database is down or did not answer in time. The same query may succeed later. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}

/** Statements did not end within their time limit. */
export class StatementTimeoutError extends Error {
  override readonly name = 'StatementTimeoutError';
  constructor(
    readonly timeoutMs: number,
    options?: ErrorOptions,
  ) {
    super(`it took longer than ${timeoutMs} ms`, options);
  }
}

/**
 * Node's codes for errors of the operating system: ECONNREFUSED, ENETUNREACH, EMFILE and dozens more. Codes of Node's own
 * checks begin with ERR_, and no SQLSTATE begins with an E.
 */
const SYSTEM_CODE = /^E(?!RR_)[A-Z]/;

/** Messages of `pg`'s errors without a code: a connection ended or could not be opened. */
const MESSAGES =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/;

/** Citus lost a node in a transaction. It gives this the SQLSTATE of internal errors (XX000). */
const NODE_LOST = /^failure on connection marked as essential/;

/**
 * Whether an error means that the database is down or shutting down: an error of the system, or SQLSTATE classes 08 (connection),
 * 53 (out of resources) and 57P (operator intervention) of the PostgreSQL manual, appendix A.
 */
export function isDatabaseDown(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return true;
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (code === 'XX000') return NODE_LOST.test(error.message);
  if (typeof code === 'string') return SYSTEM_CODE.test(code) || /^(08|53|57P)/.test(code);
  return MESSAGES.test(error.message);
}

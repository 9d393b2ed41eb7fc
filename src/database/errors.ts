/** The database cannot be asked now; the same may work later. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}

/** Node's codes for a connection that could not be made or broke. */
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENOENT',
]);

/** What `pg` says without a code when a connection ends or cannot be had. */
const MESSAGES =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/;

/**
 * Whether an error means that the database is down or going: a broken connection, or SQLSTATE classes 08 (connection),
 * 53 (out of resources) and 57P (operator intervention) of the PostgreSQL manual, appendix A.
 */
export function isDatabaseDown(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return true;
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') return NETWORK.has(code) || /^(08|53|57P)/.test(code);
  return MESSAGES.test(error.message);
}

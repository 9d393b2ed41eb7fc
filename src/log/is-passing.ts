import { isDatabaseDown } from '../database/database-errors.ts';
import { ConflictError, LogUnavailableError, OutcomeUnknownError } from './port.ts';

/**
 * Whether an error ends by itself, so that the same work may succeed later: the log or the database does not answer, or
 * another writer was faster.
 */
export function isPassing(error: unknown): boolean {
  const kinds = [ConflictError, LogUnavailableError, OutcomeUnknownError];
  return kinds.some((kind) => error instanceof kind) || isDatabaseDown(error);
}

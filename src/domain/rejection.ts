import type { Problem } from './problem.ts';

/**
 * Why the domain refuses a command. `invalid`: a value that is never accepted; `not_found`: what it names does not exist;
 * `conflict`: the state as it stands forbids it; `limit`: there are as many as there may be.
 */
export type RejectionCode = 'invalid' | 'not_found' | 'conflict' | 'limit';

/**
 * A refusal, written for the caller. Deciders return it, and `decideAndAppend` throws it, so that callers of a command
 * handle it in one place. Nothing was appended.
 */
export class Rejection extends Error implements Problem {
  override readonly name = 'Rejection';
  constructor(
    readonly code: RejectionCode,
    /** Points at the offending value within the command; '' when it is the command as a whole. */
    readonly path: string,
    message: string,
    /** What would have been accepted, where there is a list; empty: there is none. */
    readonly allowed: readonly string[] = [],
  ) {
    super(message);
  }
}

import type { Problem } from './problem.ts';

/**
 * Why the domain refuses a command. `invalid`: a value is never accepted; `not_found`: a named thing does not exist;
 * `conflict`: the present state forbids it; `limit`: the allowed number is reached.
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
    /** The place of the wrong value in the command; '' means the whole command. */
    readonly path: string,
    message: string,
    /** The accepted values; empty if there is no list. */
    readonly allowed: readonly string[] = [],
  ) {
    super(message);
  }
}

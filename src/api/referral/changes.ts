import type { FastifyRequest } from 'fastify';
import { v5 } from 'uuid';
import type { AppendedReferral } from '../../commands/append-referral.ts';
import type { CommandContext, CommandMeta } from '../../commands/handle.ts';
import { inTime } from '../../in-time.ts';
import { type CommandStamp, laneOf, OutcomeUnknownError } from '../../log/port.ts';
import { type Look, waitUntilPassed } from '../../projections/runtime/wait.ts';
import { type KnownOutcome, outcomeOf } from '../../queries/referral/attribution.ts';
import type { ReferralSource } from '../../queries/referral/source.ts';
import { botOf, principalOf } from '../access.ts';
import { unavailable } from '../errors.ts';

/** What changes of codes and referrals work with. */
export interface ReferralChanges {
  readonly context: CommandContext;
  readonly source: () => Promise<ReferralSource>;
  /** How far the tables of `source` are. */
  readonly look: Look;
  readonly maxWaitMs: number;
}

/** Appends a fact, now or never again: a repeat finds the commit of the first. */
export interface Append<A extends AppendedReferral> {
  readonly append: (meta: CommandMeta) => Promise<A>;
  readonly command: CommandStamp | undefined;
  /** When the request must have its answer, in milliseconds of `performance.now()`. */
  readonly deadline: number;
}

/** What a change came to: what the read model folded from the caller's own commit. */
export interface Told {
  readonly outcome: KnownOutcome;
}

/** A database that does not answer is not waited for longer than this after the deadline. */
const SILENT_MS = 100;

export const deadlineOf = ({ maxWaitMs }: Pick<ReferralChanges, 'maxWaitMs'>): number => performance.now() + maxWaitMs;
export const leftUntil = (deadline: number): number => Math.max(0, deadline - performance.now());

/**
 * Appends, and waits until the log up to there has been folded. The answer comes from that fold alone: before it nobody
 * knows what the change comes to.
 * @throws OutcomeUnknownError the change is in the log, and what it came to was not known by the deadline
 */
export async function change<A extends AppendedReferral>(
  { source, look }: ReferralChanges,
  request: FastifyRequest,
  { append, command, deadline }: Append<A>,
): Promise<A & Told> {
  const appended = await append({ keyId: principalOf(request).keyId, command });
  const { position, commitId } = appended;
  const unknown = (cause?: unknown): Error =>
    new OutcomeUnknownError(`what commit ${commitId} came to is not known`, { cause });
  const told = async (): Promise<KnownOutcome> => {
    const passed = await waitUntilPassed(look, new Map([[laneOf(position), position]]), leftUntil(deadline));
    const outcome = passed ? await outcomeOf(await source(), botOf(request).bot_id, commitId) : null;
    if (outcome === null) throw unknown();
    return outcome;
  };
  try {
    return { ...appended, outcome: await inTime(told(), leftUntil(deadline) + SILENT_MS, unknown) };
  } catch (error) {
    // Any other error would say that nothing was done.
    throw error instanceof OutcomeUnknownError ? error : unknown(error);
  }
}

/** That a code which was made is taken happens once in 10^14 times the number of codes. */
const MAX_ATTEMPTS = 5;

/**
 * The same with codes that may turn out to be taken: then another is tried. Each attempt is a command of its own, named by
 * the first, so that a repeat goes through the same attempts.
 */
export async function changeWithNewCode<A extends AppendedReferral>(
  changes: ReferralChanges,
  request: FastifyRequest,
  { append, command: stamp, deadline }: Append<A>,
): Promise<A & Told> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const command = stamp === undefined || attempt === 0 ? stamp : { ...stamp, id: v5(`attempt ${attempt}`, stamp.id) };
    const made = await change(changes, request, { append, command, deadline });
    if (!isTaken(made.outcome)) return made;
  }
  throw unavailable('no free code was found, try again');
}

function isTaken(outcome: KnownOutcome): boolean {
  if (outcome.type === 'code_created') return !outcome.created;
  return outcome.type === 'mark_refused' && outcome.reason === 'code_taken';
}

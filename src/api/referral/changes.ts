import type { FastifyRequest } from 'fastify';
import { v5 } from 'uuid';
import type { AppendedReferral } from '../../commands/append-referral.ts';
import type { CommandContext, CommandMeta } from '../../commands/handle.ts';
import type { CommandStamp } from '../../log/port.ts';
import { type KnownOutcome, outcomeOf } from '../../queries/referral/attribution.ts';
import type { ReferralSource } from '../../queries/referral/source.ts';
import { botOf, principalOf } from '../access.ts';
import { unavailable } from '../errors.ts';
import type { Settle } from '../settle.ts';

/** What changes of codes and referrals work with. */
export interface ReferralChanges {
  readonly context: CommandContext;
  readonly source: () => Promise<ReferralSource>;
  readonly settle: Settle;
}

/** What a change came to; null: it is not known, or not any more. */
export interface Told {
  readonly outcome: KnownOutcome | null;
  /** Whoever asks next may not be told of the change yet. */
  readonly lagging: boolean;
}

/**
 * Appends, and reads what that comes to once it has been processed. From the append on it never throws: the change is in
 * the log whatever becomes of its picture, and every other answer than that would be untrue.
 */
export async function change<A extends AppendedReferral>(
  { source, settle }: ReferralChanges,
  request: FastifyRequest,
  append: (meta: CommandMeta) => Promise<A>,
  command: CommandStamp | undefined,
): Promise<A & Told> {
  const appended = await append({ keyId: principalOf(request).keyId, command });
  const { position, commitId } = appended;
  if (!(await settle(request, position))) return { ...appended, outcome: null, lagging: true };
  try {
    const outcome = await outcomeOf(await source(), botOf(request).bot_id, commitId);
    return { ...appended, outcome, lagging: false };
  } catch (error) {
    request.log.warn({ err: error }, 'answered without knowing what the change came to');
    return { ...appended, outcome: null, lagging: true };
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
  append: (meta: CommandMeta) => Promise<A>,
  stamp: CommandStamp | undefined,
): Promise<A & Told> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const command = stamp === undefined || attempt === 0 ? stamp : { ...stamp, id: v5(`attempt ${attempt}`, stamp.id) };
    const made = await change(changes, request, append, command);
    if (!isTaken(made.outcome)) return made;
  }
  throw unavailable('no free code was found, try again');
}

function isTaken(outcome: KnownOutcome | null): boolean {
  if (outcome?.type === 'code_created') return !outcome.created;
  return outcome?.type === 'mark_refused' && outcome.reason === 'code_taken';
}

import type { FastifyRequest } from 'fastify';
import { v5 } from 'uuid';
import type { CommandContext } from '../../commands/decide-and-append.ts';
import type { AppendedReferral, ReferralMeta } from '../../commands/referral/attribute-referral.ts';
import { type CommandStamp, type EventLog, OutcomeUnknownError, partitionOf } from '../../log/port.ts';
import type { Reader } from '../../projections/reader.ts';
import { type LoadProgress, waitForReadModels } from '../../projections/runtime/wait-for-read-models.ts';
import { type KnownOutcome, outcomeOf } from '../../queries/referral/find-attribution.ts';
import { inTime } from '../../util/in-time.ts';
import { sharedCall } from '../../util/shared-call.ts';
import { botOf, principalOf } from '../access.ts';
import { unavailable } from '../api-errors.ts';

/** The dependencies of the endpoints that change codes and referrals. */
export interface ReferralChanges {
  readonly context: CommandContext;
  readonly db: Reader;
  /** Progress of the read model `referral` in `db`. */
  readonly progress: LoadProgress;
  readonly maxWaitMs: number;
}

/** A fact to append. */
export interface Append<A extends AppendedReferral> {
  /** Appends the fact once; a repeat returns the first commit. */
  readonly append: (meta: ReferralMeta) => Promise<A>;
  readonly command: CommandStamp | undefined;
  /** Time by which the request must be answered, in milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** Whether the log already has a commit of this command. */
  readonly isRepeat: boolean;
}

/** An appended fact, with the outcome that the read model has for the caller's own commit. */
type Changed<A> = A & { readonly outcome: KnownOutcome };

/** Extra time for a silent database after the deadline, in ms. */
const SILENT_MS = 100;
/** Least share of the request's time that must be left when an append begins. */
const LEAST_LEFT = 0.1;

export const deadlineOf = ({ maxWaitMs }: Pick<ReferralChanges, 'maxWaitMs'>): number => performance.now() + maxWaitMs;
export const leftUntil = (deadline: number): number => Math.max(0, deadline - performance.now());

/**
 * Appends a fact and waits until the read model has applied the log up to it. The answer comes only from that fold:
 * before it, the outcome of the change is undecided.
 * @throws ApiError 503 there was too little time for an append, and nothing was appended
 * @throws OutcomeUnknownError the outcome was not known by the deadline
 */
export async function change<A extends AppendedReferral>(
  { db, progress, maxWaitMs }: ReferralChanges,
  request: FastifyRequest,
  { append, command, deadline, isRepeat }: Append<A>,
): Promise<Changed<A>> {
  if (leftUntil(deadline) < LEAST_LEFT * maxWaitMs)
    throw isRepeat
      ? new OutcomeUnknownError('too little time was left to look up the outcome of the first request')
      : unavailable('too little time was left for the change, try again');
  const appended = await append({ keyId: principalOf(request).keyId, command, deadline });
  const { position, commitId } = appended;
  const unknown = (cause?: unknown): Error =>
    new OutcomeUnknownError(`the outcome of commit ${commitId} is not known`, { cause });
  const foldedOutcome = async (): Promise<KnownOutcome> => {
    const cursor = new Map([[partitionOf(position), position]]);
    const bot = botOf(request);
    const waiting = { timeoutMs: leftUntil(deadline), wake: ['referral'], bot: bot.public_key };
    const passed = await waitForReadModels([progress], cursor, waiting);
    const outcome = passed !== null ? await outcomeOf(await db.at('referral'), bot.bot_id, commitId) : null;
    if (outcome === null) throw unknown();
    return outcome;
  };
  try {
    return { ...appended, outcome: await inTime(foldedOutcome(), leftUntil(deadline) + SILENT_MS, unknown) };
  } catch (error) {
    // Any other error would tell the client that nothing was done.
    throw error instanceof OutcomeUnknownError ? error : unknown(error);
  }
}

/** A new code collides with probability n / 10^14, where n is the number of codes. */
const MAX_ATTEMPTS = 5;

/**
 * As {@link change}, for facts with a new code: if the code is taken, tries another one. Each attempt is a separate
 * command. Its id is derived from the first, so a repeat makes the same attempts.
 */
export async function changeWithNewCode<A extends AppendedReferral>(
  changes: ReferralChanges,
  request: FastifyRequest,
  { command: stamp, isRepeat, ...rest }: Append<A>,
): Promise<Changed<A>> {
  let repeats = isRepeat;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const command = stamp === undefined || attempt === 0 ? stamp : { ...stamp, id: v5(`attempt ${attempt}`, stamp.id) };
    const made = await change(changes, request, { ...rest, command, isRepeat: repeats });
    if (!isTaken(made.outcome)) return made;
    repeats ||= made.repeated !== null;
  }
  throw unavailable('no free code was found, try again');
}

function isTaken(outcome: KnownOutcome): boolean {
  if (outcome.type === 'code_created') return !outcome.created;
  return outcome.type === 'mark_refused' && outcome.reason === 'code_taken';
}

/** Waits until every visit of the bot that was acknowledged before is processed. @throws ApiError 503 the deadline came first */
export type AwaitVisits = (bot: { readonly public_key: string }, deadline: number) => Promise<void>;

export function awaitVisits(log: EventLog, progress: LoadProgress): AwaitVisits {
  const end = sharedCall(() => log.endCursor());
  const late = () => unavailable('visits that came before are still being processed, try again');
  return async ({ public_key: bot }, deadline) => {
    const passed = end().then((cursor) =>
      waitForReadModels([progress], cursor, { timeoutMs: leftUntil(deadline), wake: ['referral'], bot }),
    );
    if ((await inTime(passed, leftUntil(deadline), late)) === null) throw late();
  };
}

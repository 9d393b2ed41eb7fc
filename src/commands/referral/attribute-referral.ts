import { customRandom } from 'nanoid';
import type { StoredEvent } from '../../domain/event-type.ts';
import { referralCodeCreated, referralCodeOwnersSet, referralMarked } from '../../domain/referral/attribution.ts';
import type { Sources } from '../../domain/sources.ts';
import { referralStream } from '../../domain/streams.ts';
import type { Appended, RecordedCommit } from '../../log/port.ts';
import type { CommandContext, CommandMeta } from '../decide-and-append.ts';

/** `deadline`: time by which the append must be answered, in milliseconds of `performance.now()`. */
export type ReferralMeta = CommandMeta & { readonly deadline?: number };

export interface AppendedReferral extends Appended {
  /** Id of the commit, or of the commit that it repeats. The read model has the outcome under this id. */
  readonly commitId: string;
}

/**
 * Appends a fact about codes and referrals, without a decision: its outcome follows from its place in the bot's log,
 * visits included. Throws as `EventLog.append`.
 */
async function appendReferral(
  { log, sources }: CommandContext,
  bot: string,
  event: StoredEvent,
  { deadline, ...meta }: ReferralMeta,
): Promise<AppendedReferral> {
  const id = sources.uuid();
  const commit = { id, stream: referralStream(bot), expected: 'any' as const, at: sources.now(), events: [event] };
  const appended = await log.append({ ...commit, ...meta }, { deadline });
  return { ...appended, commitId: appended.repeated?.id ?? id };
}

/** Digits and letters, without the similar 0 and O, 1, l and I. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const LENGTH = 8;

/**
 * Makes a code; each of the 57^8 codes is equally likely. A random byte beyond the alphabet is thrown away: its remainder
 * would favour the first 28 letters (256 mod 57).
 */
export function newReferralCode(sources: Pick<Sources, 'randomBytes'>): string {
  return customRandom(ALPHABET, LENGTH, (size) => sources.randomBytes(size))();
}

export interface AppendedCode extends AppendedReferral {
  /** The code that was made now, or by the commit that is repeated. */
  readonly code: string;
}

/** Makes a code for a user. The fold of the bot's log up to this commit decides whether the code was free. */
export async function createReferralCode(
  context: CommandContext,
  { bot, userId }: { readonly bot: string; readonly userId: number },
  meta: ReferralMeta,
): Promise<AppendedCode> {
  const code = newReferralCode(context.sources);
  const event = referralCodeCreated.create({ code, user_id: userId });
  const appended = await appendReferral(context, bot, event, meta);
  const first = appended.repeated?.events[0];
  return { ...appended, code: first === undefined ? code : referralCodeCreated.read(first).data.code };
}

export interface SetCodeOwners {
  readonly bot: string;
  readonly elements: readonly { readonly code: string; readonly user_id: number }[];
}

/** Appends all elements in one commit. */
export function setCodeOwners(
  context: CommandContext,
  { bot, elements }: SetCodeOwners,
  meta: ReferralMeta,
): Promise<AppendedReferral> {
  return appendReferral(context, bot, referralCodeOwnersSet.create({ elements: [...elements] }), meta);
}

export interface MarkReferral {
  readonly bot: string;
  readonly referralUserId: number;
  /** By a code, or by a referrer; `needsCode`: the read model has no code of the referrer. */
  readonly by: { readonly code: string } | { readonly referrerId: number; readonly needsCode: boolean };
}

/** Marks a user as referred. The fold of the bot's log up to this commit decides whether an earlier fact wins. */
export function markReferral(
  context: CommandContext,
  { bot, referralUserId, by }: MarkReferral,
  meta: ReferralMeta,
): Promise<AppendedReferral> {
  const new_code = 'needsCode' in by && by.needsCode ? newReferralCode(context.sources) : null;
  const event = referralMarked.create({
    referral_user_id: referralUserId,
    code: 'code' in by ? by.code : null,
    referrer_id: 'code' in by ? null : by.referrerId,
    new_code,
  });
  return appendReferral(context, bot, event, meta);
}

/** The code or referrer that a commit marks its user by, as the caller gave it. */
export function markedBy({ id, events: [first] }: RecordedCommit): MarkReferral['by'] {
  if (first === undefined) throw new TypeError(`commit ${id} has no mark`);
  const { code, referrer_id, new_code } = referralMarked.read(first).data;
  return code === null ? { referrerId: referrer_id!, needsCode: new_code !== null } : { code };
}

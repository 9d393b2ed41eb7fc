import type { StoredEvent } from '../../domain/event-type.ts';
import { referralStream } from '../../domain/streams.ts';
import type { Appended } from '../../log/port.ts';
import type { CommandContext, CommandMeta } from '../decide-and-append.ts';

/** `deadline`: when the append must have its answer, in milliseconds of `performance.now()`. */
export type ReferralMeta = CommandMeta & { readonly deadline?: number };

export interface AppendedReferral extends Appended {
  /** What it comes to is known by this id: of the commit, or of the one that it repeats. */
  readonly commitId: string;
}

/**
 * Appends a fact of codes and referrals. Nothing is decided here: what it comes to follows from its place in the bot's
 * log, visits included. Throws as `EventLog.append`.
 */
export async function appendReferral(
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

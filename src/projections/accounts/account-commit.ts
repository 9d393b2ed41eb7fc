import { UnreadableEventError } from '../../domain/event-type.ts';
import { accountOf } from '../../domain/streams.ts';
import type { ReadCommit } from '../read-model.ts';

/** The account of a commit, and the commit's place in it. */
export interface AccountCommit {
  readonly public_key: string;
  readonly user_id: number;
  readonly revision: number;
  readonly trace: string | undefined;
}

/** @throws UnreadableEventError the commit is not in the stream of an account */
export function accountCommit({ stream, revision, trace }: ReadCommit): AccountCommit {
  const account = accountOf(stream);
  if (account === null || revision === null)
    throw new UnreadableEventError(`${stream} is not the stream of an account`);
  return { public_key: account.bot, user_id: account.userId, revision, trace };
}

/** More than the events of any commit. */
const PLACES_PER_COMMIT = 1_000_000;

/** The place of an event in its account's stream: the same on every engine. */
export function placeOf(revision: number, index: number): number {
  return revision * PLACES_PER_COMMIT + index;
}

/** The revision of the commit with the event of a place. */
export function revisionOf(place: number): number {
  return Math.floor(place / PLACES_PER_COMMIT);
}

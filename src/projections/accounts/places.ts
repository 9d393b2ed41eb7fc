import { UnreadableEventError } from '../../domain/event-type.ts';
import { keyOf } from '../../log/stream-name.ts';
import type { ReadCommit } from '../read-model.ts';

/** Whose account a commit is about, and where in it. */
export interface AccountCommit {
  readonly public_key: string;
  readonly user_id: number;
  readonly revision: number;
}

/** @throws UnreadableEventError it is of no account's stream */
export function accountOf({ stream, revision }: Pick<ReadCommit, 'stream' | 'revision'>): AccountCommit {
  const public_key = keyOf(stream);
  const user_id = Number(stream.slice(stream.indexOf('/') + 1));
  if (revision === null || !Number.isSafeInteger(user_id))
    throw new UnreadableEventError(`${stream} is not the stream of an account`);
  return { public_key, user_id, revision };
}

/** No commit has as many events. */
const PLACES_PER_COMMIT = 1_000_000;

/** The place of an event in its account. */
export function placeOf(revision: number, index: number): number {
  return revision * PLACES_PER_COMMIT + index;
}

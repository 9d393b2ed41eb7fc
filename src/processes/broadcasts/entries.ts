import {
  type Answered,
  answerBatch,
  type ClaimBatch,
  claimBatch,
  type Pause,
  pauseSending,
  resumeSending,
  type SendingEvent,
  type SendingState,
} from '../../domain/broadcast/sending.ts';
import type { Decision } from '../../domain/decider.ts';
import { Rejection } from '../../domain/rejection.ts';

/** What a sender has to write down at one time. */
export interface Entries {
  /** Who comes next; `count` 0: nobody. */
  readonly claiming: ClaimBatch;
  /** What became of recipients, by their claims. */
  readonly answered: ReadonlyMap<number, readonly Answered[]>;
  readonly files: readonly { readonly url: string; readonly file_id: string }[];
  readonly unreachable: readonly { readonly user_id: number; readonly user_status: 'blocked' | 'deactivated' }[];
  /** What is waited for; null: nothing. */
  readonly pause: Pause | null;
  /** Whether the platform has told this launch to slow down. */
  readonly limited: boolean;
}

/** The events of it, in one commit. @returns a rejection when somebody else sends this broadcast */
export function entriesOf(state: SendingState, given: Entries): Decision<SendingEvent> {
  const { claiming, answered, files, unreachable, pause, limited } = given;
  const { broadcast_id, launch, sender } = claiming;
  for (const claim of state.claims.values())
    if (claim.sender !== sender) return new Rejection('conflict', 'sender', 'somebody else sends this broadcast');
  const events: SendingEvent[] = [];
  for (const [claim, list] of answered) {
    const decision = answerBatch(state, broadcast_id, claim, list, events.length === 0 ? files : []);
    if (decision instanceof Rejection) return decision;
    events.push(...decision);
  }
  if (unreachable.length > 0) events.push({ type: 'users_unreachable', data: { users: [...unreachable] } });
  const paused = pause ?? (limited && !state.limited ? { until: null, error: null } : null);
  events.push(
    ...(paused === null
      ? resumeSending(state, broadcast_id)
      : pauseSending(state, broadcast_id, launch, { ...paused, limited })),
  );
  if (claiming.count === 0) return events;
  const claimed = claimBatch(state, claiming);
  return claimed instanceof Rejection ? claimed : [...events, ...claimed];
}

import type { Decision } from '../decider.ts';
import { Rejection } from '../rejection.ts';
import {
  FIRST_CALLS,
  firstOf,
  isMessageRefused,
  nextWaiting,
  openPlaces,
  type SendingEvent,
  type SendingState,
} from './sending.ts';
import { type Outcome, toRanges } from './sending-events.ts';

/** The events of a batch of recipients: its claim, its outcomes, its end without outcomes. */

export interface ClaimBatch {
  readonly broadcast_id: number;
  readonly launch: number;
  readonly sender: string;
  /** The number of recipients of the broadcast. */
  readonly audience: number;
  /** How many to claim at most. */
  readonly count: number;
}

/**
 * Claims the first recipients that wait, in the order of the audience; no events if none waits. As long as the first ten
 * calls may all be refused because of the message, at most ten are open at once.
 * @returns a rejection if a later launch has begun: this sender has been replaced
 */
export function claimBatch(state: SendingState, command: ClaimBatch): Decision<SendingEvent> {
  const { broadcast_id, launch, sender, audience, count } = command;
  if (launch < state.launch) return new Rejection('conflict', 'launch', `launch ${state.launch} has begun`);
  const { calls, refusals } = firstOf(state, launch);
  if (isMessageRefused(state, launch)) return [];
  const mayBeRefused = refusals === calls && calls < FIRST_CALLS;
  const most = mayBeRefused ? Math.min(count, FIRST_CALLS - calls - openPlaces(state)) : count;
  const places: number[] = [];
  for (let place = state.waitingFrom; places.length < most; place++) {
    place = nextWaiting(state, place);
    if (place >= audience) break;
    places.push(place);
  }
  if (places.length === 0) return [];
  const claim = state.lastClaim + 1;
  return [{ type: 'batch_claimed', data: { broadcast_id, launch, claim, sender, recipients: toRanges(places) } }];
}

/** The outcome of one recipient. */
export interface Answered extends Omit<Outcome, 'recipients'> {
  readonly place: number;
}

/**
 * Records outcomes of a claim, without outcomes that the log already has.
 * @returns a rejection if the claim was abandoned: another sender has taken over
 */
export function answerBatch(
  state: SendingState,
  broadcast_id: number,
  claim: number,
  answered: readonly Answered[],
  files: readonly { readonly url: string; readonly file_id: string }[] = [],
): Decision<SendingEvent> {
  if (state.abandoned.has(claim)) return new Rejection('conflict', 'claim', `claim ${claim} was abandoned`);
  const open = state.claims.get(claim)?.open;
  const news = answered.filter(({ place }) => open?.has(place));
  if (news.length === 0) return [];
  const data = { broadcast_id, claim, outcomes: grouped(news) };
  const newFiles = files.filter(({ url, file_id }) => state.files.get(url) !== file_id);
  return [{ type: 'batch_answered', data: newFiles.length === 0 ? data : { ...data, files: [...newFiles] } }];
}

/** Recipients of one outcome together. */
function grouped(answered: readonly Answered[]): Outcome[] {
  const groups = new Map<string, Answered[]>();
  for (const each of answered.toSorted((a, b) => a.place - b.place)) {
    const { place: _, ...outcome } = each;
    const key = JSON.stringify(outcome);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return [...groups.values()].map((members) => {
    const { place: _, ...outcome } = members[0]!;
    return { ...outcome, recipients: toRanges(members.map(({ place }) => place)) };
  });
}

/** Closes claims of other senders. It is unknown which of their recipients were called. */
export function abandonClaims(state: SendingState, broadcast_id: number, sender: string): SendingEvent[] {
  return [...state.claims]
    .filter(([, claim]) => claim.sender !== sender)
    .map(([claim, { open }]) => {
      const recipients = toRanges([...open].sort((a, b) => a - b));
      return { type: 'batch_abandoned', data: { broadcast_id, claim, recipients } };
    });
}

import { PLACE, type SendingEvent, type SendingState } from './sending.ts';
import type { Range } from './sending-events.ts';

/** Whether the platform refused recipients because of the message of an earlier launch. */
export function hasRefused(state: SendingState, launch: number): boolean {
  // Recipients that this launch was refused for are reopened by the next one.
  return launch >= state.launch && launch > state.claimingLaunch && state.refused > 0;
}

/** Keeps a commit far below what every engine takes. */
const MAX_RANGES = 10_000;

/**
 * Reopens recipients that the platform refused because of the message, since the launch may have another message; a part at
 * a time, as long as `hasRefused`. The first part begins the launch, so that no sender of an earlier launch claims a
 * reopened recipient. Only these recipients were certainly not sent to.
 */
export function reopenRefused(state: SendingState, broadcast_id: number, launch: number): SendingEvent[] {
  if (!hasRefused(state, launch)) return [];
  const { places } = state;
  const recipients: Range[] = [];
  for (let first = places.indexOf(PLACE.refused); first !== -1 && recipients.length < MAX_RANGES; ) {
    let last = first;
    while (places[last + 1] === PLACE.refused) last++;
    recipients.push([first, last]);
    first = places.indexOf(PLACE.refused, last + 1);
  }
  return [{ type: 'recipients_reopened', data: { broadcast_id, launch, recipients } }];
}

import { toRanges } from './ranges.ts';
import { PLACE, type SendingEvent, type SendingState } from './sending.ts';

/** Whether a launch begins with recipients that the message of an earlier one was refused for. */
export function hasRefused(state: SendingState, launch: number): boolean {
  return launch > state.launch && state.refused > 0;
}

/** Keeps a commit far below what every engine takes. */
const MAX_RANGES = 10_000;

/**
 * Takes recipients that the platform refused because of the message back, since the launch may have another message; some
 * at a time, as long as `hasRefused`. Only these were certainly not sent to, whatever else became of their calls.
 */
export function reopenRefused(state: SendingState, broadcast_id: number, launch: number): SendingEvent[] {
  if (!hasRefused(state, launch)) return [];
  const refused: number[] = [];
  for (let place = 0; place < state.next; place++) if (state.places[place] === PLACE.refused) refused.push(place);
  const recipients = toRanges(refused).slice(0, MAX_RANGES);
  return [{ type: 'recipients_reopened', data: { broadcast_id, launch, recipients } }];
}

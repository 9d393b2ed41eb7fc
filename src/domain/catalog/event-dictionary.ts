import { type Decision, decider } from '../decider.ts';
import type { DataOf, EventOf } from '../event-type.ts';
import { Rejection } from '../rejection.ts';
import { eventDescribed } from './catalog-events.ts';
import { MAX_NAME_LENGTH, textProblem } from './checks.ts';

/** Stream `dictionary-<bot>`: the words that people read for a bot's events, in place of their names in the API. */

type EventWords = DataOf<typeof eventDescribed>;
export type DictionaryEvent = EventOf<typeof eventDescribed>;

const MAX_DESCRIPTION_LENGTH = 1000;

/** The words of events, by event id. */
export type DictionaryState = Map<number, EventWords>;

export const dictionary = decider(
  [eventDescribed],
  (): DictionaryState => new Map(),
  // Changes the map in place (see `Decider`).
  (state, event) => state.set(event.data.event_id, event.data),
);

/** Fields that are absent or null stay as they are. An empty text takes the words away. */
export interface DescribeEvent {
  readonly event_id: number;
  readonly title?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly hidden?: boolean | null | undefined;
}

/** Changes the words of an event. Words that are the same are no change. @param isKnown whether the bot has the event */
export function describeEvent(
  state: DictionaryState,
  { event_id, title, description, hidden }: DescribeEvent,
  isKnown: boolean,
): Decision<DictionaryEvent> {
  if (!isKnown) return new Rejection('not_found', 'event_id', `the bot has no event ${event_id}`);
  const now = state.get(event_id) ?? { event_id, title: null, description: null, hidden: false };
  const next = {
    event_id,
    title: (title ?? now.title) || null,
    description: (description ?? now.description) || null,
    hidden: hidden ?? now.hidden,
  };
  const problem =
    (next.title === null ? undefined : textProblem('title', next.title, MAX_NAME_LENGTH)) ??
    (next.description === null ? undefined : textProblem('description', next.description, MAX_DESCRIPTION_LENGTH));
  if (problem !== undefined) return problem;
  const isSame = next.title === now.title && next.description === now.description && next.hidden === now.hidden;
  return isSame ? [] : [{ type: 'event_described', data: next }];
}

import { type Decision, decider } from '../decider.ts';
import type { DataOf, EventOf } from '../event-type.ts';
import { FIRST_FREE_EVENT_ID, SALE_GOAL } from '../intake/system-events.ts';
import { Rejection } from '../rejection.ts';
import { eventDescribed, eventTypeRegistered, goalCreated } from './catalog-events.ts';
import { MAX_NAME_LENGTH, textProblem } from './checks.ts';

/**
 * Stream `eventtypes-<bot>`: the names of a bot's custom events and its goals. They share one sequence of event ids.
 */

/** More names are refused (decisions.md#event-names): names are kinds of events, not data. */
export const MAX_EVENT_NAMES = 10_000;

export interface EventTypesState {
  /** Event ids of custom events, by name. */
  readonly names: Map<string, number>;
  /** Event ids of goals, by target id. Each bot has Sale from the start. */
  readonly goals: Map<number, number>;
  readonly nextId: number;
}

export type EventTypesEvent = EventOf<typeof eventTypeRegistered | typeof goalCreated>;

export const eventTypes = decider(
  [eventTypeRegistered, goalCreated],
  (): EventTypesState => ({
    names: new Map(),
    goals: new Map([[SALE_GOAL.target_id, SALE_GOAL.event_id]]),
    nextId: FIRST_FREE_EVENT_ID,
  }),
  evolve,
);

/** Changes the maps in place (see `Decider`). */
function evolve({ names, goals, nextId }: EventTypesState, event: EventTypesEvent): EventTypesState {
  const { event_id } = event.data;
  if (event.type === 'event_type_registered') names.set(event.data.name, event_id);
  else goals.set(event.data.target_id, event_id);
  return { names, goals, nextId: Math.max(nextId, event_id + 1) };
}

/**
 * Gives an id to each name that has none, in the order of the names. Registers all names or none. The path of a refusal
 * is an index. New ids are greater than `above`, as in `reserveIds`.
 */
export function registerNames(
  state: EventTypesState,
  names: readonly string[],
  above: number,
): Decision<EventTypesEvent> {
  const fresh = [...new Set(names)].filter((name) => !state.names.has(name));
  const beyond = fresh[MAX_EVENT_NAMES - state.names.size];
  if (beyond !== undefined)
    return new Rejection('limit', `${names.indexOf(beyond)}`, `a bot has at most ${MAX_EVENT_NAMES} event names`);
  return fresh.map((name, index) => ({
    type: 'event_type_registered',
    data: { event_id: nextId(state, above) + index, name },
  }));
}

function nextId(state: EventTypesState, above: number): number {
  return Math.max(state.nextId, above + 1);
}

export interface CreateGoal {
  readonly target_id: number;
  readonly name: string;
}

/** The id of the goal's event is greater than `above`. */
export function createGoal(
  state: EventTypesState,
  { target_id, name }: CreateGoal,
  above: number,
): Decision<EventTypesEvent> {
  if (state.goals.has(target_id)) return new Rejection('conflict', 'target_id', `target_id ${target_id} is taken`);
  return (
    textProblem('name', name, MAX_NAME_LENGTH) ?? [
      { type: 'goal_created', data: { event_id: nextId(state, above), target_id, name } },
    ]
  );
}

/** Stream `dictionary-<bot>`: the words that people read for a bot's events, in place of their names in the API. */

type EventWords = DataOf<typeof eventDescribed>;
type DictionaryEvent = EventOf<typeof eventDescribed>;

const MAX_DESCRIPTION_LENGTH = 1000;

/** The words of events, by event id. */
type DictionaryState = Map<number, EventWords>;

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

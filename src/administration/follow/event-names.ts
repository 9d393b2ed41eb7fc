import { LRUCache } from 'lru-cache';
import { readEvent } from '../../domain/events.ts';
import { SALE_GOAL, SYSTEM_EVENTS } from '../../domain/intake/system-events.ts';
import { eventTypesStream } from '../../domain/streams.ts';
import { EMPTY_STREAM, type EventLog, type StreamHead } from '../../log/port.ts';
import type { NameOfEvent } from './follow-rows.ts';

const FIXED_NAMES: ReadonlyMap<number, string> = new Map([
  ...Object.entries(SYSTEM_EVENTS).map(([name, id]) => [id, name] as const),
  [SALE_GOAL.event_id, SALE_GOAL.name],
]);

/** Bots whose names are in memory, up to 10,000 names each. */
const MAX_BOTS = 100;

/** Names events from the log. A name is registered before its first use, so an unknown id is looked for in what came since. */
export function eventNames(log: EventLog): NameOfEvent {
  const bots = new LRUCache<string, { head: StreamHead; readonly names: Map<number, string> }>({ max: MAX_BOTS });
  return async (bot, eventId) => {
    const fixed = FIXED_NAMES.get(eventId);
    if (fixed !== undefined) return fixed;
    const known = bots.get(bot) ?? { head: EMPTY_STREAM, names: new Map<number, string>() };
    bots.set(bot, known);
    const name = known.names.get(eventId);
    if (name !== undefined) return name;
    const { commits, head } = await log.read(eventTypesStream(bot), known.head);
    known.head = head;
    for (const commit of commits)
      for (const stored of commit.events) {
        const event = readEvent(stored);
        if (event.type === 'event_type_registered' || event.type === 'goal_created')
          known.names.set(event.data.event_id, event.data.name);
      }
    return known.names.get(eventId) ?? null;
  };
}

import { type CustomEventItem, customEventsReceived } from '../domain/intake/events.ts';
import type { Sources } from '../domain/sources.ts';
import type { Appended, EventLog } from '../log/port.ts';
import { appendIntake, type Stamp } from './append-intake.ts';
import type { EventTypeDirectory } from './event-type-directory.ts';

/** A custom event as its sender names it, checked. */
export interface CustomEventInput extends Omit<CustomEventItem, 'event_id' | 'value'> {
  readonly event: string;
  readonly value_num?: string | undefined;
}

export type ReceiveCustomEvents = (bot: string, events: readonly CustomEventInput[], stamp: Stamp) => Promise<Appended>;

/**
 * One request is one append. A name seen for the first time gets its id first, in the bot's catalog: that event stands
 * before the first use in the bot's log.
 */
export function receiveCustomEvents(deps: {
  readonly log: EventLog;
  readonly sources: Sources;
  readonly directory: EventTypeDirectory;
}): ReceiveCustomEvents {
  const { log, sources, directory } = deps;
  return async (bot, events, stamp) => {
    const ids = await directory.resolve(bot, [...new Set(events.map(({ event }) => event))]);
    const items = events.map(({ event, value_num, ...rest }) => ({
      event_id: ids.get(event)!,
      value: value_num,
      ...rest,
    }));
    return appendIntake({ log, sources }, bot, customEventsReceived.create({ items }), stamp);
  };
}

import { type CustomEventItem, customEventsReceived } from '../../domain/intake/events.ts';
import { Rejection } from '../../domain/rejection.ts';
import type { Sources } from '../../domain/sources.ts';
import type { Appended, EventLog } from '../../log/port.ts';
import { appendIntake, type Stamp } from './append-intake.ts';
import type { EventTypeDirectory } from './event-type-directory.ts';

/** A custom event as its sender names it, checked. */
export interface CustomEventInput extends Omit<CustomEventItem, 'event_id' | 'value'> {
  readonly event: string;
  readonly value_num?: string | undefined;
}

/** One event or a list: it matters to the path of a refusal. @throws Rejection limit */
export type ReceiveCustomEvents = (
  bot: string,
  events: CustomEventInput | readonly CustomEventInput[],
  stamp: Stamp,
) => Promise<Appended>;

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
  return async (bot, given, stamp) => {
    const events: readonly CustomEventInput[] = 'event' in given ? [given] : given;
    const names = [...new Set(events.map(({ event }) => event))];
    const ids = await directory.resolve(bot, names).catch((error: unknown) => {
      if (!(error instanceof Rejection) || error.code !== 'limit') throw error;
      const index = events.findIndex(({ event }) => event === names[Number(error.path)]);
      throw new Rejection('limit', 'event' in given ? 'event' : `${index}.event`, error.message);
    });
    const items = events.map((event) => itemOf(event, ids.get(event.event)!));
    return appendIntake({ log, sources }, bot, customEventsReceived.ofChecked({ items }), stamp);
  };
}

function itemOf(input: CustomEventInput, event_id: number): CustomEventItem {
  const { user_id, date, value_num, unit, value_str, category, webapp_name, event_key } = input;
  return { event_id, user_id, date, value: value_num, unit, value_str, category, webapp_name, event_key };
}

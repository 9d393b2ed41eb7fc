import {
  type CustomEventItem,
  customEventsReceived,
  type TargetEventItem,
  targetEventsReceived,
  type UpdateItem,
  updatesReceived,
} from '../../domain/intake/intake-events.ts';
import { Rejection } from '../../domain/rejection.ts';
import type { Sources } from '../../domain/sources.ts';
import type { Appended, EventLog } from '../../log/port.ts';
import { appendIntake, type Stamp } from './append-intake.ts';
import type { EventTypeDirectory } from './event-type-directory.ts';
import { personalKeys, sealUpdates } from './personal-keys.ts';

/** A checked custom event, with its name instead of its id. */
export interface CustomEventInput extends Omit<CustomEventItem, 'event_id' | 'value'> {
  readonly event: string;
  readonly value_num?: string | undefined;
}

/** Takes one event or a list. In a refusal the path is `event` for one event, `<index>.event` for a list. @throws Rejection limit */
export type ReceiveCustomEvents = (
  bot: string,
  events: CustomEventInput | readonly CustomEventInput[],
  stamp: Stamp,
) => Promise<Appended>;

/**
 * Appends the events of one request as one commit. It first registers new names in the bot's catalog, so the log has a name
 * before its first use.
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
    const items = events.map((event) => customEventItemOf(event, ids.get(event.event)!));
    return appendIntake({ log, sources }, bot, customEventsReceived.ofChecked({ items }), stamp);
  };
}

/** The stored form of the event. @param event_id the id of its name */
export function customEventItemOf(input: CustomEventInput, event_id: number): CustomEventItem {
  const { user_id, date, value_num, unit, value_str, category, webapp_name, event_key, properties } = input;
  return { event_id, user_id, date, value: value_num, unit, value_str, category, webapp_name, event_key, properties };
}

/** A checked target event, with the goal's id instead of the event's id. */
interface TargetEventInput extends Omit<TargetEventItem, 'event_id'> {
  readonly target_id: number;
}

/** Nothing was appended: the bot does not have the goals of the elements at these indexes. */
interface UnknownTargets {
  readonly unknown: readonly number[];
}

export type ReceiveTargetEvents = (
  bot: string,
  events: readonly TargetEventInput[],
  stamp: Stamp,
) => Promise<Appended | UnknownTargets>;

/** Finds the target ids that are not goals of the bot. It always finds goals created before the call. */
export type FindUnknownTargets = (bot: string, targetIds: readonly number[]) => Promise<ReadonlySet<number>>;

export function findUnknownTargets(directory: EventTypeDirectory): FindUnknownTargets {
  return async (bot, targetIds) => {
    const goals = await directory.goals(bot, targetIds);
    return new Set(targetIds.filter((id) => !goals.has(id)));
  };
}

/** Appends the events of one request as one commit. Looks up a goal in the log before it refuses the goal as unknown. */
export function receiveTargetEvents(deps: {
  readonly log: EventLog;
  readonly sources: Sources;
  readonly directory: EventTypeDirectory;
}): ReceiveTargetEvents {
  const { log, sources, directory } = deps;
  return async (bot, events, stamp) => {
    const ids = events.map(({ target_id }) => target_id);
    const goals = await directory.goals(bot, ids);
    const unknown = ids.flatMap((id, index) => (goals.has(id) ? [] : [index]));
    if (unknown.length > 0) return { unknown };
    const items = events.map(({ target_id, unit, ...rest }) => ({
      event_id: goals.get(target_id)!,
      // A unit without a value has no meaning (decisions.md#bot-errors).
      unit: rest.value === undefined ? undefined : unit,
      ...rest,
    }));
    return appendIntake({ log, sources }, bot, targetEventsReceived.ofChecked({ items }), stamp);
  };
}

export type ReceiveUpdates = (bot: string, items: readonly UpdateItem[], stamp: Stamp) => Promise<Appended | null>;

/**
 * Appends the kept parts of the updates of one request as one commit, with sealed personal fields. If no part is kept, it
 * appends a commit only to remember an Idempotency-Key.
 */
export function receiveUpdates(deps: { readonly log: EventLog; readonly sources: Sources }): ReceiveUpdates {
  const { log, sources } = deps;
  const keys = personalKeys(() => log.keys);
  return async (bot, items, stamp) => {
    if (items.length === 0 && stamp.command === undefined) return null;
    const sealed = await sealUpdates(keys, sources, bot, items);
    return appendIntake({ log, sources }, bot, updatesReceived.create({ items: sealed }), stamp);
  };
}

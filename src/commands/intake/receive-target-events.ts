import { type TargetEventItem, targetEventsReceived } from '../../domain/intake/events.ts';
import type { Sources } from '../../domain/sources.ts';
import type { Appended, EventLog } from '../../log/port.ts';
import { appendIntake, type Stamp } from './append-intake.ts';
import type { EventTypeDirectory } from './event-type-directory.ts';

/** A target event as its sender names it, checked. */
export interface TargetEventInput extends Omit<TargetEventItem, 'event_id'> {
  readonly target_id: number;
}

/** Nothing was appended: the elements at these indexes name goals that the bot does not have. */
export interface UnknownTargets {
  readonly unknown: readonly number[];
}

export type ReceiveTargetEvents = (
  bot: string,
  events: readonly TargetEventInput[],
  stamp: Stamp,
) => Promise<Appended | UnknownTargets>;

/** Which of these the bot has no goal for: none of those that were made before the call. */
export type FindUnknownTargets = (bot: string, targetIds: readonly number[]) => Promise<ReadonlySet<number>>;

export function findUnknownTargets(directory: EventTypeDirectory): FindUnknownTargets {
  return async (bot, targetIds) => {
    const goals = await directory.goals(bot, targetIds);
    return new Set(targetIds.filter((id) => !goals.has(id)));
  };
}

/** One request is one append. A goal that is not known here is looked up in the log before it is refused. */
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
      // A unit without a value says nothing (decisions.md#bot-errors).
      unit: rest.value === undefined ? undefined : unit,
      ...rest,
    }));
    return appendIntake({ log, sources }, bot, targetEventsReceived.ofChecked({ items }), stamp);
  };
}

import { type UpdateItem, updatesReceived } from '../../domain/intake/events.ts';
import type { Sources } from '../../domain/sources.ts';
import type { Appended, EventLog } from '../../log/port.ts';
import { appendIntake, type Stamp } from './append-intake.ts';
import { personalKeys } from './personal-keys.ts';
import { sealUpdates } from './seal-items.ts';

export type ReceiveUpdates = (bot: string, items: readonly UpdateItem[], stamp: Stamp) => Promise<Appended | null>;

/**
 * One request is one append of what the service keeps of the platform's updates, personal fields sealed. Where it keeps
 * nothing there is nothing to append, unless an Idempotency-Key must be remembered.
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

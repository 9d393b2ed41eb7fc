import type { KnownEvent } from './catalog.ts';
import type { IconName } from './icon.tsx';
import { spoken } from './names.ts';

/** The names of a bot's events for people, by the id of their type. */
export type EventNames = ReadonlyMap<number, string>;

export function eventNames(events: readonly KnownEvent[]): EventNames {
  return new Map(events.map(({ event_id, name, title }) => [event_id, title ?? spoken(name)]));
}

/** Ids of system events (docs/decisions.md#platform-updates). */
const MONEY: readonly number[] = [3, 9];
const MESSAGES: readonly number[] = [1, 2, 4, 5, 6, 7, 8];

/** The icon of the kind of an event: money, a message of the platform, or one of the bot's own. */
export function eventIcon(event: number, amount: unknown): IconName {
  if (amount !== null || MONEY.includes(event)) return 'money';
  return MESSAGES.includes(event) ? 'message' : 'events';
}

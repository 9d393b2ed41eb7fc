import * as catalog from './catalog/events.ts';
import { type EventOf, type EventType, type StoredEvent, UnreadableEventError } from './event-type.ts';
import * as intake from './intake/events.ts';
import * as operation from './operation/events.ts';
import * as report from './report/saved/events.ts';

/** Every event type of the log. */
export const eventTypes = [
  catalog.idsReserved,
  catalog.ownerCreated,
  catalog.ownerChanged,
  catalog.keyIssued,
  catalog.keyRevoked,
  catalog.botCreated,
  catalog.botChanged,
  catalog.webhookSecretRotated,
  catalog.unitCreated,
  catalog.eventTypeRegistered,
  catalog.goalCreated,
  catalog.exchangeRateSet,
  intake.customEventsReceived,
  intake.targetEventsReceived,
  intake.updatesReceived,
  intake.usersImported,
  intake.userErased,
  operation.deadLetterSkipped,
  operation.deadLetterRetried,
  report.reportSaved,
  report.reportChanged,
  report.reportDeleted,
] as const;

/** Any event of the log, read and of the current shape; `type` tells which. */
export type LedgerEvent = EventOf<(typeof eventTypes)[number]>;

const byType = new Map<string, EventType<string, unknown>>(
  eventTypes.map((type) => [type.type, type as EventType<string, unknown>]),
);

/** The types of events that are none of these. */
export function typesBeside(types: readonly string[]): string[] {
  return [...byType.keys()].filter((type) => !types.includes(type));
}

/** Whether this service knows such events, of whatever version. */
export function isKnownType(type: string): boolean {
  return byType.has(type);
}

/** Reads a stored event. @throws UnreadableEventError */
export function readEvent(event: StoredEvent): LedgerEvent {
  const type = byType.get(event.type);
  if (type === undefined) throw new UnreadableEventError(`unknown event type ${event.type}`);
  return type.read(event) as LedgerEvent;
}

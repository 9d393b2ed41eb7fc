import { z } from 'zod';
import { eventType } from '../event-type.ts';

/**
 * Events of a bot's intake stream. One request is one event with all its items, in the request's order. The commit's id
 * and the index of an item name the item. Dates are milliseconds since 1970 UTC; an item without a date has the commit's
 * time (the receipt). Numbers are decimal text, exactly as sent. Requests are checked before they are appended; the rules
 * of their fields are in interface.md, "Target event" and "Custom event".
 */

const int = z.number().int();
const userId = int.positive();
/** Decimal text without an exponent. */
const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);

/** A custom field of a user keeps its JSON type: text, number (as decimal text in `number`) or boolean. */
const customFieldValue = z.union([z.string(), z.boolean(), z.object({ number: decimal })]);
export type CustomFieldValue = z.infer<typeof customFieldValue>;
/** Custom properties of an event, of the same types (properties.ts). */
const properties = z.record(z.string(), customFieldValue).optional();

const customEventItem = z.object({
  event_id: int.positive(),
  user_id: userId,
  date: int.optional(),
  value: decimal.optional(),
  unit: z.string().optional(),
  value_str: z.string().optional(),
  category: z.string().optional(),
  webapp_name: z.string().optional(),
  event_key: z.string().optional(),
  properties,
});
export type CustomEventItem = z.infer<typeof customEventItem>;
export const customEventsReceived = eventType(
  'custom_events_received',
  1,
  z.object({ items: z.array(customEventItem).min(1) }),
);

/** An event of the past, with its own date: an import has no receipt that could stand for it. */
const importedEventItem = customEventItem.extend({ date: int });
export type ImportedEventItem = z.infer<typeof importedEventItem>;
/**
 * Events of a part of an imported file (decisions.md#import-events). They make their users known, and earn no rewards.
 * `line` is the last line of the file that the import has read, `refused` the number of lines that it has refused so far,
 * `repeated` the number of items so far whose key had come before. `repeated` is for people: read models decide by the keys.
 * The last commit of a file is `finished`, perhaps without items.
 */
export const eventsImported = eventType(
  'events_imported',
  1,
  z.object({
    items: z.array(importedEventItem),
    line: int.nonnegative(),
    refused: int.nonnegative(),
    repeated: int.positive().optional(),
    finished: z.boolean(),
  }),
);

const targetEventItem = z.object({
  event_id: int.positive(),
  user_id: userId,
  date: int.optional(),
  value: decimal.optional(),
  unit: z.string().optional(),
  event_key: z.string().optional(),
  properties,
});
export type TargetEventItem = z.infer<typeof targetEventItem>;
export const targetEventsReceived = eventType(
  'target_events_received',
  1,
  z.object({ items: z.array(targetEventItem).min(1) }),
);

/**
 * Personal fields of a user. The log has them in these events only, sealed with a key of the user (sealing.ts), so that
 * they can be erased. Each shape below is in clear, as before sealing and after opening (personal.ts). The log has the
 * sealed shape next to it. Version 1 of the events has them in clear.
 */
export const person = z.object({
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  username: z.string().optional(),
  language_code: z.string().optional(),
});
export type Person = z.infer<typeof person>;

/**
 * The parts of a platform update that the service keeps: never a message's text or media. The platform's user object is
 * complete, so the user does not have a name or flag that is absent here.
 */
export const updateItem = z.object({
  update_id: int,
  /** The platform's own date, else the request's; absent: the time of receipt. */
  date: int.optional(),
  user_id: userId,
  /** Whether the update makes its sender a user of the bot. Other updates count only for known users. */
  makes_user: z.boolean(),
  is_bot: z.boolean(),
  /** Another bot in its own private chat. Without it an update from a bot in a private chat is the bot's own. */
  own_chat: z.literal(true).optional(),
  is_premium: z.boolean(),
  person: person.optional(),
  chat_type: z.enum(['private', 'group', 'supergroup', 'channel']).optional(),
  /** The system event that the update makes, if any. */
  event_id: int.positive().optional(),
  /** With its slash, without the bot's name: `/help`. */
  command: z.string().optional(),
  /** The payload of /start, 1 to 64 of [A-Za-z0-9_-]: a visit by that code. */
  start_param: z.string().optional(),
  callback_data: z.string().optional(),
  /** A payment's total_amount in minor units, and its currency. Of a refund it is negative. */
  value: decimal.optional(),
  unit: z.string().optional(),
  /** The platform's id of the payment, also in its refund. */
  charge_id: z.string().optional(),
  /** The payment is one of a subscription. */
  recurring: z.enum(['first', 'renewal']).optional(),
  /** End of the paid period of the subscription, ms UTC. */
  subscription_until: int.optional(),
  /** The bot caused the update: it says nothing about the user but the event. */
  by_bot: z.literal(true).optional(),
});
export type UpdateItem = z.infer<typeof updateItem>;
/** `person` is the sealed text of a `Person`. */
const sealedUpdateItem = updateItem.extend({ person: z.string().optional() });
export type SealedUpdateItem = z.infer<typeof sealedUpdateItem>;

interface UpdatesReceived {
  items: (UpdateItem | SealedUpdateItem)[];
}
/** Empty where only an Idempotency-Key had to be remembered. */
export const updatesReceived = eventType<'updates_received', UpdatesReceived>(
  'updates_received',
  2,
  z.object({ items: z.array(sealedUpdateItem) }),
  { 1: z.object({ items: z.array(updateItem) }) },
);

/** The personal fields of an imported user, with the custom fields that the bot's owner defines. */
export const importedPersonalFields = z.object({
  person: person.extend({ full_name: z.string().optional() }).optional(),
  gender: z.string().optional(),
  timezone: z.string().optional(),
  custom_fields: z.record(z.string(), customFieldValue).optional(),
});

const importedFlags = z.object({
  user_id: userId,
  date_create: int.optional(),
  date_last_active: int.optional(),
  is_bot: z.boolean().optional(),
  user_status: z.enum(['active', 'blocked', 'deactivated']).optional(),
  is_premium: z.boolean().optional(),
});
export const importedUser = importedFlags.extend(importedPersonalFields.shape);
export type ImportedUser = z.infer<typeof importedUser>;
/** `person` is the sealed text of an `ImportedPersonalFields`. */
const sealedImportedUser = importedFlags.extend({ person: z.string().optional() });
export type SealedImportedUser = z.infer<typeof sealedImportedUser>;

interface UsersImported {
  items: (ImportedUser | SealedImportedUser)[];
}
/** `user import` and `user set-field`: the given fields replace, the others stay. */
export const usersImported = eventType<'users_imported', UsersImported>(
  'users_imported',
  2,
  z.object({ items: z.array(sealedImportedUser).min(1) }),
  { 1: z.object({ items: z.array(importedUser).min(1) }) },
);

/** Erases the personal fields of all earlier events: the keys that sealed them are gone. */
export const userErased = eventType('user_erased', 1, z.object({ user_id: userId }));

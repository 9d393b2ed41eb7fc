import { z } from 'zod';
import { eventType } from '../event-type.ts';

/**
 * Events of a bot's intake stream. One request is one event with all its items, in the request's order; an item is
 * named by its commit and its index. Dates are milliseconds since 1970 UTC; a missing date is the commit's own time
 * (the time of receipt). Numbers are decimal text, exactly as sent. Field rules: interface.md, "Target event" and
 * "Custom event"; they were checked when the request was received.
 */

const int = z.number().int();
const userId = int.positive();
/** Decimal text without an exponent. */
const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);

export const customEventItem = z.object({
  event_id: int.positive(),
  user_id: userId,
  date: int.optional(),
  value: decimal.optional(),
  unit: z.string().optional(),
  value_str: z.string().optional(),
  category: z.string().optional(),
  webapp_name: z.string().optional(),
  event_key: z.string().optional(),
});
export type CustomEventItem = z.infer<typeof customEventItem>;
export const customEventsReceived = eventType(
  'custom_events_received',
  1,
  z.object({ items: z.array(customEventItem).min(1) }),
);

export const targetEventItem = z.object({
  event_id: int.positive(),
  user_id: userId,
  date: int.optional(),
  value: decimal.optional(),
  unit: z.string().optional(),
  event_key: z.string().optional(),
});
export type TargetEventItem = z.infer<typeof targetEventItem>;
export const targetEventsReceived = eventType(
  'target_events_received',
  1,
  z.object({ items: z.array(targetEventItem).min(1) }),
);

/**
 * Personal fields of a user: they stand here and nowhere else in the log, and here only sealed with a key of the user
 * (sealing.ts), so that they can be erased. The shapes below are in clear, as they are before they are sealed and after
 * they are opened (personal.ts); what the log has of them is the sealed shape beside each. In version 1 it had them clear.
 */
export const person = z.object({
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  username: z.string().optional(),
  language_code: z.string().optional(),
});
export type Person = z.infer<typeof person>;

/**
 * What the service keeps of a platform update: never a message's text or media. The platform's user object is complete,
 * so a name or flag that is absent here is one that the user does not have.
 */
export const updateItem = z.object({
  update_id: int,
  /** The platform's own date, else the request's; absent: the time of receipt. */
  date: int.optional(),
  user_id: userId,
  /** Whether the update makes a user of the bot; other updates count only for users already known. */
  makes_user: z.boolean(),
  is_bot: z.boolean(),
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
  /** A payment's total_amount in minor units, and its currency. */
  value: decimal.optional(),
  unit: z.string().optional(),
});
export type UpdateItem = z.infer<typeof updateItem>;
/** `person` is the sealed text of a `Person`. */
export const sealedUpdateItem = updateItem.extend({ person: z.string().optional() });
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

/** A custom field keeps its JSON type: text, number (as decimal text in `number`) or boolean. */
export const customFieldValue = z.union([z.string(), z.boolean(), z.object({ number: decimal })]);
export type CustomFieldValue = z.infer<typeof customFieldValue>;

/** What an import tells of a person, and of what a bot's owner made up to tell of one. */
export const importedPersonalFields = z.object({
  person: person.extend({ full_name: z.string().optional() }).optional(),
  gender: z.string().optional(),
  timezone: z.string().optional(),
  custom_fields: z.record(z.string(), customFieldValue).optional(),
});
export type ImportedPersonalFields = z.infer<typeof importedPersonalFields>;

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
export const sealedImportedUser = importedFlags.extend({ person: z.string().optional() });
export type SealedImportedUser = z.infer<typeof sealedImportedUser>;

interface UsersImported {
  items: (ImportedUser | SealedImportedUser)[];
}
/** `user import` and `user set-field`: fields given replace, others stay. */
export const usersImported = eventType<'users_imported', UsersImported>(
  'users_imported',
  2,
  z.object({ items: z.array(sealedImportedUser).min(1) }),
  { 1: z.object({ items: z.array(importedUser).min(1) }) },
);

/** The personal fields of all that came before are gone, and the keys that they were sealed with. */
export const userErased = eventType('user_erased', 1, z.object({ user_id: userId }));

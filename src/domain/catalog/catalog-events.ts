import { z } from 'zod';
import { eventType } from '../event-type.ts';
import { sealedSecret, storedSecret } from '../sealing.ts';

/** Events of owners, bots, keys, event types and exchange rates. */

const id = z.number().int().positive();
const publicKey = z.string().min(1);

const plan = z.enum(['premium', 'free']);
/** `service`: a program's. `personal`: a person's. `owner`: a person's who may change settings (decisions.md#owner-settings). */
export const keyKind = z.enum(['personal', 'service', 'owner']);
export type KeyKind = z.infer<typeof keyKind>;
export const autoPayout = z.enum(['off', 'daily', 'weekly', 'monthly']);

/**
 * A range of ids. Only the appender may use them: ids are in the log before a caller sees them (decisions.md#ids).
 */
export const idsReserved = eventType('ids_reserved', 1, z.object({ kind: z.string(), from: id, to: id }));

const ownerFields = z.object({
  name: z.string(),
  currency: z.string(),
  plan,
  broadcasts_per_month: z.number().int().nonnegative(),
});
export const ownerCreated = eventType(
  'owner_created',
  1,
  ownerFields.extend({ owner_id: id, public_key: publicKey, demo: z.boolean().optional() }),
);
export const ownerChanged = eventType('owner_changed', 1, ownerFields.partial());

/** Which bots a key may act on: exactly one, several named ones, or all of the owner (later ones too). */
const keyScope = z.discriminatedUnion('type', [
  z.object({ type: z.literal('bots'), bots: z.array(publicKey).min(1) }),
  z.object({ type: z.literal('all') }),
]);
export const keyIssued = eventType(
  'key_issued',
  1,
  z.object({
    key_id: id,
    /** The part before the colon: the bot's public key for a single-bot key, else the owner's. */
    public_part: publicKey,
    /** Hex SHA-256 of the secret. The secret itself is not stored. */
    secret_hash: z.string(),
    scope: keyScope,
    kind: keyKind,
    name: z.string().nullable(),
    /** Milliseconds since 1970 UTC; null: never. */
    expires_at: z.number().int().nullable(),
    /** The key that this one replaces. */
    rotates: id.optional(),
    /** The key that asked for this one. Absent: an operator did. Earlier versions do not say it. */
    by: id.optional(),
  }),
);
/**
 * `at_once`: the key is refused from this event on, whatever a clock says. Absent: from `at` on (milliseconds UTC), as in a
 * rotation with an overlap. Earlier versions never wrote `at_once`.
 */
export const keyRevoked = eventType(
  'key_revoked',
  1,
  z.object({ key_id: id, at: z.number().int(), at_once: z.literal(true).optional() }),
);

const botSettings = z.object({
  name: z.string(),
  username: z.string().nullable(),
  timezone: z.string(),
  pair_separator: z.string(),
  value_separator: z.string(),
  referral_new_users_only: z.boolean(),
  auto_payout: autoPayout,
  paid_broadcasts: z.boolean(),
});
const botFields = botSettings.extend({
  /** Small integer that leads the keys of the read models. */
  bot_id: id,
  public_key: publicKey,
  owner_id: id,
  webhook_secret_hash: z.string(),
});
/** Of the Bot API; null if there is none. Version 1 has it in clear. */
const token = { token: sealedSecret.nullable() };
const clearToken = { token: z.string().nullable() };
const storedToken = { token: storedSecret.nullable() };
const createdBot = botFields.extend(storedToken);
const changedBot = botSettings.extend(storedToken).partial();

export const botCreated = eventType<'bot_created', z.infer<typeof createdBot>>(
  'bot_created',
  2,
  botFields.extend(token),
  { 1: botFields.extend(clearToken) },
);
export const botChanged = eventType<'bot_changed', z.infer<typeof changedBot>>(
  'bot_changed',
  2,
  botSettings.extend(token).partial(),
  { 1: botSettings.extend(clearToken).partial() },
);
export const webhookSecretRotated = eventType(
  'webhook_secret_rotated',
  1,
  z.object({ webhook_secret_hash: z.string() }),
);
export const unitCreated = eventType(
  'unit_created',
  1,
  z.object({ unit_id: id, code: z.string(), name: z.string().nullable(), scale: z.number().int().min(0).max(18) }),
);

/** In a bot's `eventtypes` stream. Names of custom events and goals share one sequence of event ids. */
export const eventTypeRegistered = eventType('event_type_registered', 1, z.object({ event_id: id, name: z.string() }));
export const goalCreated = eventType('goal_created', 1, z.object({ event_id: id, target_id: id, name: z.string() }));

/**
 * In a bot's `dictionary` stream: the words that people read for an event. `title`: instead of the name; null: the name.
 * `hidden`: pickers leave the event out; it is counted as before.
 */
export const eventDescribed = eventType(
  'event_described',
  1,
  z.object({ event_id: id, title: z.string().nullable(), description: z.string().nullable(), hidden: z.boolean() }),
);

/** The rate (decimal text) from one currency to another, from a UTC day on. */
export const exchangeRateSet = eventType(
  'exchange_rate_set',
  1,
  z.object({ from: z.string(), to: z.string(), rate: z.string().regex(/^\d+(\.\d+)?$/), date: z.iso.date() }),
);

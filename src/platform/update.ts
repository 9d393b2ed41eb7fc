import type { Person, UpdateItem } from '../domain/intake/intake-events.ts';
import { isWithinYears } from '../domain/intake/moment.ts';
import { SYSTEM_EVENTS } from '../domain/intake/system-events.ts';
import { exactNumber, isJsonObject, type JsonObject, property, safeInteger } from '../domain/storable-json.ts';
import { SERVICE_FIELDS } from './service-messages.ts';

/**
 * The paths of the user in updates that a user causes. Updates of channels, of business accounts (chats that are not
 * the bot's) and of other members have no acting user of this bot.
 */
const ACTOR: Readonly<Record<string, 'from' | 'user'>> = {
  message: 'from',
  edited_message: 'from',
  callback_query: 'from',
  my_chat_member: 'from',
  inline_query: 'from',
  chosen_inline_result: 'from',
  shipping_query: 'from',
  pre_checkout_query: 'from',
  purchased_paid_media: 'from',
  chat_join_request: 'from',
  poll_answer: 'user',
  message_reaction: 'user',
};

const CHAT_TYPES = new Set(['private', 'group', 'supergroup', 'channel']);
type ChatType = NonNullable<UpdateItem['chat_type']>;

/** The system event of an update, with its properties. */
type Action = Pick<
  UpdateItem,
  'event_id' | 'command' | 'start_param' | 'callback_data' | 'value' | 'unit' | keyof Charged
>;
type Charged = Pick<UpdateItem, 'charge_id' | 'recurring' | 'subscription_until'>;

/**
 * Extracts the fields that the service keeps of a platform's Update object (https://core.telegram.org/bots/api#update);
 * decisions.md#platform-updates. Accepts any value and skips parts without the documented shape.
 * @param options.requestDate the date sent with the update, ms UTC; used if the update itself has no valid date
 * @param options.username the bot's own, if known; commands that name another bot are ignored
 * @returns null if the update has no `update_id` or no acting user
 */
export function parseUpdate(
  update: unknown,
  { requestDate, username = null }: { requestDate?: number | undefined; username?: string | null } = {},
): UpdateItem | null {
  if (!isJsonObject(update)) return null;
  const updateId = safeInteger(property(update, 'update_id'));
  const kind = kindOf(update);
  if (updateId === undefined || kind === undefined) return null;

  const body = property(update, kind) as JsonObject;
  const holder = kind === 'callback_query' ? property(body, 'message') : body;
  const actor = actorOf(property(body, ACTOR[kind]!), body, holder);
  if (actor === undefined) return null;

  const { userId, user, byBot } = actor;
  const chatType = chatTypeOf(holder);
  const action = actionOf(kind, body, chatType, username);
  const person = personOf(user);
  const date = dateOf(property(body, dateFieldOf(kind))) ?? requestDate;
  const isBot = property(user, 'is_bot') === true;
  return {
    update_id: updateId,
    user_id: userId,
    makes_user: makesUser(kind, chatType, action),
    is_bot: isBot,
    ...(isBot && chatType === 'private' && { own_chat: true as const }),
    is_premium: property(user, 'is_premium') === true,
    ...(date !== undefined && { date }),
    ...(person !== undefined && { person }),
    ...(chatType !== undefined && { chat_type: chatType }),
    ...action,
    ...(byBot && { by_bot: true }),
  };
}

/**
 * Finds the user who acts. It is never the bot itself: the platform sends service messages of a private chat, such as a pin
 * by the bot, with `from` = the bot. For a message of a chat (`sender_chat`) or a vote by a chat (`voter_chat`) the platform
 * fills in a stand-in user, who acts nowhere. A refund that the bot gives in a private chat belongs to the chat's user.
 */
function actorOf(user: unknown, body: JsonObject, holder: unknown): Actor | undefined {
  if (!isJsonObject(user) || STAND_IN.some((field) => isJsonObject(property(body, field)))) return undefined;
  const userId = safeInteger(property(user, 'id'));
  if (userId === undefined || userId <= 0) return undefined;
  const isBotOfChat =
    property(user, 'is_bot') === true && chatTypeOf(holder) === 'private' && chatIdOf(holder) !== userId;
  if (!isBotOfChat) return { userId, user, byBot: false };
  const chatId = chatIdOf(holder);
  const isRefund = isJsonObject(property(body, 'refunded_payment')) && chatId !== undefined && chatId > 0;
  return isRefund ? { userId: chatId, user: {}, byBot: true } : undefined;
}

interface Actor {
  readonly userId: number;
  /** The platform's User object; empty if the bot acted. */
  readonly user: JsonObject;
  readonly byBot: boolean;
}

const STAND_IN = ['sender_chat', 'voter_chat'] as const;

/** The path of the update's date, if it lies outside the years that events may have. */
export function misdatedField(update: JsonObject): readonly string[] | undefined {
  const kind = kindOf(update);
  if (kind === undefined) return undefined;
  const field = dateFieldOf(kind);
  const seconds = exactNumber(property(update[kind] as JsonObject, field));
  if (seconds === undefined) return undefined;
  // Larger numbers are refused before toNumber, since a Big would expand a large exponent to all of its digits.
  return seconds.lt(0) || seconds.gte(1e12) || !isWithinYears(seconds.toNumber() * 1000) ? [kind, field] : undefined;
}

function kindOf(update: JsonObject): string | undefined {
  return Object.keys(ACTOR).find((name) => isJsonObject(property(update, name)));
}

function dateFieldOf(kind: string): 'date' | 'edit_date' {
  return kind === 'edited_message' ? 'edit_date' : 'date';
}

/**
 * Whether the update makes its actor a user of the bot. Private chats make users; callbacks, payments and refunds do in
 * any chat. A `my_chat_member` of a group does not: its actor is an administrator who may never have spoken to the bot.
 */
function makesUser(kind: string, chatType: ChatType | undefined, { event_id }: Action): boolean {
  if (kind === 'callback_query' || event_id === SYSTEM_EVENTS.payment || event_id === SYSTEM_EVENTS.refund) return true;
  return chatType === 'private' && (kind === 'message' || kind === 'edited_message' || kind === 'my_chat_member');
}

/**
 * Finds the system event: the first match of start, command, payment, refund, webapp_data, callback, block, unblock, message.
 */
function actionOf(kind: string, body: JsonObject, chatType: ChatType | undefined, username: string | null): Action {
  switch (kind) {
    case 'message':
      return messageAction(body, username);
    case 'callback_query': {
      const data = property(body, 'data');
      return {
        event_id: SYSTEM_EVENTS.callback,
        ...(typeof data === 'string' && { callback_data: replaceUnstorable(data) }),
      };
    }
    case 'my_chat_member':
      return chatType === 'private' ? membershipAction(body) : {};
    default:
      return {};
  }
}

function messageAction(message: JsonObject, username: string | null): Action {
  const command = commandOf(message, username);
  if (command !== null) return commandAction(command);
  const payment = property(message, 'successful_payment');
  if (isJsonObject(payment)) return { event_id: SYSTEM_EVENTS.payment, ...paid(payment), ...charged(payment) };
  const refund = property(message, 'refunded_payment');
  if (isJsonObject(refund)) {
    const { value, unit } = paid(refund);
    const back = value === undefined ? {} : { value: value === '0' ? value : `-${value}`, unit };
    return { event_id: SYSTEM_EVENTS.refund, ...back, ...charged(refund) };
  }
  if (isJsonObject(property(message, 'web_app_data'))) return { event_id: SYSTEM_EVENTS.webapp_data };
  // A platform's service message (a pin, a shared user, a topic) is nothing that a person wrote.
  return SERVICE_FIELDS.some((field) => (property(message, field) ?? null) !== null)
    ? {}
    : { event_id: SYSTEM_EVENTS.message };
}

function commandAction({ name, payload }: Command): Action {
  if (name !== '/start') return { event_id: SYSTEM_EVENTS.command, command: name };
  return { event_id: SYSTEM_EVENTS.start, command: name, ...(payload !== null && { start_param: payload }) };
}

function paid(payment: JsonObject): Pick<Action, 'value' | 'unit'> {
  const amount = safeInteger(property(payment, 'total_amount'));
  const currency = property(payment, 'currency');
  if (amount === undefined || amount < 0 || typeof currency !== 'string' || !/^[A-Za-z]{3}$/.test(currency)) return {};
  return { value: String(amount), unit: currency.toUpperCase() };
}

/** Characters. The platform's ids have about 100; an index entry of PostgreSQL takes 2,700 bytes at most. */
const MAX_CHARGE_ID = 250;

/** The platform's id of the charge, and the end of a subscription's payment. */
function charged(payment: JsonObject): Charged {
  const id = property(payment, 'telegram_payment_charge_id');
  const until = dateOf(property(payment, 'subscription_expiration_date'));
  const isFirst = property(payment, 'is_first_recurring') === true;
  const isRecurring = isFirst || property(payment, 'is_recurring') === true;
  return {
    ...(typeof id === 'string' && id !== '' && id.length <= MAX_CHARGE_ID && { charge_id: replaceUnstorable(id) }),
    ...(isRecurring && { recurring: isFirst ? 'first' : 'renewal' }),
    ...(until !== undefined && { subscription_until: until }),
  };
}

function membershipAction(change: JsonObject): Action {
  const member = property(change, 'new_chat_member');
  const status = isJsonObject(member) ? property(member, 'status') : undefined;
  if (status === 'kicked') return { event_id: SYSTEM_EVENTS.block };
  return status === 'member' ? { event_id: SYSTEM_EVENTS.unblock } : {};
}

function chatIdOf(holder: unknown): number | undefined {
  const chat = isJsonObject(holder) ? property(holder, 'chat') : undefined;
  return isJsonObject(chat) ? safeInteger(property(chat, 'id')) : undefined;
}

function chatTypeOf(holder: unknown): ChatType | undefined {
  const chat = isJsonObject(holder) ? property(holder, 'chat') : undefined;
  const type = isJsonObject(chat) ? property(chat, 'type') : undefined;
  return typeof type === 'string' && CHAT_TYPES.has(type) ? (type as ChatType) : undefined;
}

/** Converts a date of the platform, in whole seconds, to milliseconds. 0 means no date. */
function dateOf(value: unknown): number | undefined {
  const seconds = safeInteger(value);
  return seconds !== undefined && seconds > 0 && isWithinYears(seconds * 1000) ? seconds * 1000 : undefined;
}

interface Command {
  /** With its slash, without the bot's name: `/help`. */
  readonly name: string;
  /** The text after the command, if it can be a payload of a start link. */
  readonly payload: string | null;
}

const COMMAND = /^(\/[A-Za-z0-9_]{1,64})(?:@([A-Za-z0-9_]+))?$/;
const PAYLOAD = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Finds the command that a message begins with.
 * @param username the bot's own; null if unknown. In a group a command may name its bot, and that can be another bot
 */
function commandOf(message: JsonObject, username: string | null): Command | null {
  const text = property(message, 'text');
  if (typeof text !== 'string' || !text.startsWith('/')) return null;
  const length = commandLength(text, property(message, 'entities'));
  const [, name, addressee] = COMMAND.exec(text.slice(0, length)) ?? [];
  if (name === undefined) return null;
  if (addressee !== undefined && username !== null && addressee.toLowerCase() !== username.toLowerCase()) return null;
  const rest = text.slice(length).trim();
  return { name, payload: PAYLOAD.test(rest) ? rest : null };
}

/**
 * The length of the entity that marks the command, in UTF-16 units. JavaScript's strings also count these. The platform
 * marks every command, so a text with entities but no such mark is no command (code, for example). An update that is
 * written by hand may lack entities.
 */
function commandLength(text: string, entities: unknown): number {
  if (entities === undefined) return /^\S+/.exec(text)![0].length;
  if (!Array.isArray(entities)) return 0;
  for (const entity of entities) {
    if (!isJsonObject(entity) || property(entity, 'type') !== 'bot_command') continue;
    if (safeInteger(property(entity, 'offset')) === 0) return safeInteger(property(entity, 'length')) ?? 0;
  }
  return 0;
}

const FIELDS = ['first_name', 'last_name', 'username', 'language_code'] as const;

/** The personal fields of the platform's User object; undefined when it has none. */
function personOf(user: JsonObject): Person | undefined {
  const person: Person = {};
  for (const field of FIELDS) {
    const text = property(user, field);
    if (typeof text === 'string' && text !== '') person[field] = replaceUnstorable(text);
  }
  return Object.keys(person).length === 0 ? undefined : person;
}

/** U+0000 and lone surrogates become U+FFFD, since neither Postgres nor UTF-8 can hold them. */
function replaceUnstorable(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, '\ufffd');
}

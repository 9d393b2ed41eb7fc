import { currencyDigits } from '../../domain/catalog/currency.ts';
import { UnreadableEventError } from '../../domain/event-type.ts';
import type { CustomEventItem, TargetEventItem, UpdateItem } from '../../domain/intake/events.ts';
import { SALE_GOAL, SYSTEM_EVENTS } from '../../domain/intake/system-events.ts';
import { parseUtm } from '../../domain/intake/utm.ts';
import { keyOf } from '../../log/stream-name.ts';
import { learnCodes } from '../code-memory.ts';
import type { ReadCommit } from '../read-model.ts';
import { isRepeat, updateMemory } from '../update-memory.ts';
import { type Bot, botOf, isTrigger, scaleOf, type User, type UtmUse } from './bots.ts';
import { type EventDraft, eventDraft, type Place, propertiesOf, valueNow } from './draft.ts';
import { newUser } from './load.ts';
import type { NewUnit } from './revaluations.ts';
import type { Refusal, Rewardable } from './rewards.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long an event waits for its user and an error is kept (decisions.md#late-user). By receipts. */
export const PENDING_MS = DAY_MS;
export const ERROR_MEMORY_MS = 90 * DAY_MS;

/** Items of a commit that have a place of their own in `ord`. */
const PLACES_PER_COMMIT = 1024;

export interface UnknownUserError {
  readonly event: EventDraft;
  /** Whether the event counts if its user appears. */
  readonly waits: boolean;
  resolved_at: number | null;
}

export interface EventTypeRow {
  readonly bot_id: number;
  readonly event_id: number;
  readonly kind: 'system' | 'target' | 'custom';
  readonly name: string;
  readonly target_id: number | null;
}

/** What a batch changes, apart from the rows of its events: they are in `Bot.users`. */
export interface Outcome {
  readonly bots: Map<string, Bot>;
  readonly newUsers: { readonly user: User; readonly since: number }[];
  readonly eventTypes: EventTypeRow[];
  readonly eventKeys: { readonly bot: Bot; readonly event_key: string }[];
  /** Errors that the batch opened, by event. */
  readonly errors: Map<EventDraft, UnknownUserError>;
  /** Events that waited since an earlier batch and now count. */
  readonly released: { readonly event: EventDraft; readonly at: number }[];
  /** New units; events with these codes need revaluation. */
  readonly newUnits: NewUnit[];
  readonly rewardable: Rewardable[];
  readonly refusals: Refusal[];
}

/** Goes through the commits in the log's order and decides of every item whether it counts, waits or is nothing. */
export function foldBatch(bots: Map<string, Bot>, commits: readonly ReadCommit[]): Outcome {
  const outcome: Outcome = {
    bots,
    newUsers: [],
    eventTypes: [],
    eventKeys: [],
    errors: new Map(),
    released: [],
    newUnits: [],
    rewardable: [],
    refusals: [],
  };
  for (const commit of commits) foldCommit(outcome, commit);
  return outcome;
}

function foldCommit(outcome: Outcome, commit: ReadCommit): void {
  let idx = 0;
  for (const [index, event] of commit.events.entries()) {
    switch (event.type) {
      case 'bot_created':
        createBot(outcome, event.data);
        break;
      case 'bot_changed': {
        const bot = botOfCommit(outcome, commit);
        const { pair_separator: pair, value_separator: value } = event.data;
        bot.separators = { pair: pair ?? bot.separators.pair, value: value ?? bot.separators.value };
        break;
      }
      case 'unit_created':
        createUnit(outcome, botOfCommit(outcome, commit), event.data, commit);
        break;
      case 'event_type_registered': {
        const { bot_id } = botOfCommit(outcome, commit);
        outcome.eventTypes.push({ bot_id, ...event.data, kind: 'custom', target_id: null });
        break;
      }
      case 'goal_created':
        outcome.eventTypes.push({ bot_id: botOfCommit(outcome, commit).bot_id, ...event.data, kind: 'target' });
        break;
      case 'reward_rule_created': {
        const { rule_id, name, trigger_event_id: trigger } = event.data;
        botOfCommit(outcome, commit).rules.set(rule_id, { name, trigger });
        break;
      }
      case 'reward_rule_changed': {
        const { rules } = botOfCommit(outcome, commit);
        const { rule_id, name } = event.data;
        if (name !== undefined) rules.set(rule_id, { ...rules.get(rule_id)!, name });
        break;
      }
      case 'referral_code_created':
      case 'referral_code_owners_set':
      case 'referral_marked':
        learnCodes(botOfCommit(outcome, commit).codes, event);
        break;
      case 'reward_refused':
        foldRefusal(outcome, commit, index, event.data);
        break;
      case 'custom_events_received':
      case 'target_events_received': {
        const bot = received(outcome, commit);
        const source = event.type === 'custom_events_received' ? 'send-event' : 'send-target';
        for (const item of event.data.items) foldEvent(outcome, bot, item, placeOf(bot, commit, idx++), source);
        break;
      }
      case 'updates_received': {
        const bot = received(outcome, commit);
        for (const item of event.data.items) foldUpdate(outcome, bot, item, placeOf(bot, commit, idx++));
        break;
      }
      case 'users_imported': {
        const bot = received(outcome, commit);
        for (const { user_id } of event.data.items) appear(outcome, userOf(bot, user_id), commit);
        break;
      }
    }
  }
}

function createBot(outcome: Outcome, data: BotCreated): void {
  const { bot_id, public_key, owner_id, pair_separator: pair, value_separator: value } = data;
  const settings = {
    bot_id,
    public_key,
    owner_id,
    separators: { pair, value },
    units: new Map(),
    rules: new Map(),
    memory: updateMemory(bot_id, 0),
    utmCount: 0,
    userCount: 0,
    writer: null,
  };
  outcome.bots.set(public_key, botOf(settings));
  for (const [name, event_id] of Object.entries(SYSTEM_EVENTS))
    outcome.eventTypes.push({ bot_id, event_id, kind: 'system', name, target_id: null });
  outcome.eventTypes.push({ bot_id, kind: 'target', ...SALE_GOAL });
}

/** A code has one unit: the bot's decider refuses another. */
function createUnit(outcome: Outcome, bot: Bot, { code, scale }: UnitCreated, { ordinal, at }: ReadCommit): void {
  if (bot.units.has(code)) return;
  const isCurrency = currencyDigits(code) !== undefined;
  bot.units.set(code, isCurrency ? { scale, ord: 0, at: 0 } : { scale, ord: ordinal * PLACES_PER_COMMIT, at });
  if (!isCurrency) outcome.newUnits.push({ bot_id: bot.bot_id, unit: code, at });
}

type UnitCreated = Extract<ReadCommit['events'][number], { type: 'unit_created' }>['data'];

type BotCreated = Extract<ReadCommit['events'][number], { type: 'bot_created' }>['data'];

/** The log of a bot begins with the bot, on every engine: what names another is of a broken log. */
function botOfCommit({ bots }: Outcome, { stream }: ReadCommit): Bot {
  const bot = bots.get(keyOf(stream));
  if (bot === undefined) throw new UnreadableEventError(`${stream}: there is no such bot before it in the log`);
  return bot;
}

function received(outcome: Outcome, commit: ReadCommit): Bot {
  const bot = botOfCommit(outcome, commit);
  bot.memory.clock = Math.max(bot.memory.clock, commit.at);
  return bot;
}

function placeOf({ bot_id }: Bot, { ordinal, id, at, position }: ReadCommit, idx: number): Place {
  const ord = ordinal * PLACES_PER_COMMIT + idx;
  if (idx >= PLACES_PER_COMMIT || !Number.isSafeInteger(ord))
    throw new UnreadableEventError(`commit ${id}: no place for item ${idx} at ordinal ${ordinal}`);
  return { bot_id, ord, commit_id: id, idx, at, position };
}

function foldEvent(
  outcome: Outcome,
  bot: Bot,
  item: CustomEventItem | TargetEventItem,
  place: Place,
  source: 'send-event' | 'send-target',
): void {
  const { event_key } = item;
  if (event_key !== undefined) {
    if (bot.eventKeys.has(event_key)) return;
    bot.eventKeys.add(event_key);
    outcome.eventKeys.push({ bot, event_key });
  }
  const event = eventDraft(item, place, source, (unit) => scaleOf(bot, unit, source));
  const user = userOf(bot, item.user_id);
  if (user.known) {
    count(outcome, user, event, place);
    return;
  }
  const age = bot.memory.clock - place.at;
  if (age <= PENDING_MS) user.pending.push(event);
  if (age <= ERROR_MEMORY_MS) outcome.errors.set(event, { event, waits: age <= PENDING_MS, resolved_at: null });
}

function foldUpdate(outcome: Outcome, bot: Bot, item: Omit<UpdateItem, 'person'>, place: Place): void {
  if (isRepeat(bot.memory, item.update_id, place.at)) return;
  const user = userOf(bot, item.user_id);
  const first_seen = !user.known;
  if (item.makes_user) appear(outcome, user, place);
  // A group's update of a user who is not known yet is nothing, not even an error.
  if (!user.known || item.event_id === undefined) return;
  const event = eventDraft(
    { ...item, event_id: item.event_id },
    place,
    'send-update',
    (unit) => scaleOf(bot, unit, 'send-update'),
    propertiesOf(item),
  );
  count(outcome, user, event, place);
  if (item.start_param !== undefined) {
    const { date, ord, commit_id, idx } = event;
    const utm = utmOf(bot, item.start_param);
    user.visits.push({ date, ord, commit_id, idx, code: item.start_param, utm, first_seen });
  }
}

/** The user is known from here on, and what waited for it counts, unless it has waited too long. */
function appear(outcome: Outcome, user: User, by: Pick<Place, 'at' | 'position'>): void {
  if (user.known) return;
  user.known = true;
  user.idx = user.bot.userCount++;
  outcome.newUsers.push({ user, since: by.at });
  for (const event of user.pending) {
    if (user.bot.memory.clock - event.date_received > PENDING_MS) continue;
    count(outcome, user, event, by);
    const error = outcome.errors.get(event);
    if (error === undefined) outcome.released.push({ event, at: by.at });
    else error.resolved_at = by.at;
  }
}

/** The event counts from the commit at `position` on, perhaps not its own. */
function count(outcome: Outcome, user: User, event: EventDraft, { position }: Pick<Place, 'position'>): void {
  user.events.push(event);
  const { bot } = user;
  if (!isTrigger(bot, event.event_id)) return;
  const value = valueNow(event, (unit) => scaleOf(bot, unit, event.source));
  outcome.rewardable.push({ event, value, position });
}

function foldRefusal(outcome: Outcome, commit: ReadCommit, idx: number, refused: Refusal['refused']): void {
  const { bot_id, memory, rules } = botOfCommit(outcome, commit);
  if (memory.clock - commit.at > ERROR_MEMORY_MS) return;
  const rule = rules.get(refused.rule_id)!.name;
  outcome.refusals.push({ bot_id, commit_id: commit.id, idx, at: commit.at, refused, rule });
}

function userOf(bot: Bot, userId: number): User {
  let user = bot.users.get(userId);
  if (user === undefined) {
    user = newUser(bot, userId, null, null);
    bot.users.set(userId, user);
  }
  return user;
}

/** The UTM of a visit, shared by all of the batch that read the same. */
function utmOf(bot: Bot, payload: string): UtmUse | null {
  const utm = parseUtm(payload, bot.separators, bot.codes.codes.has(payload));
  if (utm === null) return null;
  const text = JSON.stringify(utm);
  let use = bot.utms.get(text);
  if (use === undefined) {
    use = { utm, id: 0 };
    bot.utms.set(text, use);
  }
  return use;
}

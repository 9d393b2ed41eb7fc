import { currencyDigits } from '../../domain/catalog/checks.ts';
import type {
  CustomEventItem,
  ImportedEventItem,
  TargetEventItem,
  UpdateItem,
} from '../../domain/intake/intake-events.ts';
import {
  acceptEvent,
  acceptUpdate,
  acceptUser,
  advanceClock,
  ERROR_MEMORY_MS,
  isInTime,
  learnPayloads,
  payloadState,
  utmOfVisit,
} from '../../domain/intake/intake-fold.ts';
import { propertiesJson } from '../../domain/intake/properties.ts';
import { SALE_GOAL, SYSTEM_EVENTS } from '../../domain/intake/system-events.ts';
import { botIntake, botOfCommit, ordOf } from '../intake-state.ts';
import type { ReadCommit } from '../read-model.ts';
import type { Bot, Outcome, Refusal, User, UtmUse } from './batch.ts';
import { takeCharge } from './charges.ts';
import { type EventDraft, eventDraft, type ItemOrigin, propertiesOf, valueNow } from './draft.ts';
import { botOf, isTrigger, scaleOf } from './event-bots.ts';
import { newUser } from './events-load.ts';
import { propertyNames, takeProperties } from './property-rows.ts';

/** Folds the commits in the log's order, by the decisions of domain/intake/intake-fold.ts. */
export function foldBatch(bots: Map<string, Bot>, commits: readonly ReadCommit[]): Outcome {
  const outcome: Outcome = {
    bots,
    newUsers: [],
    eventTypes: [],
    eventKeys: [],
    errors: new Map(),
    propertyErrors: [],
    released: [],
    newUnits: [],
    rewardable: [],
    refusals: [],
    refundedPayments: [],
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
      case 'unit_created':
        createUnit(outcome, botOfCommit(outcome.bots, commit), event.data, commit);
        break;
      case 'event_type_registered': {
        const { bot_id } = botOfCommit(outcome.bots, commit);
        outcome.eventTypes.push({ bot_id, ...event.data, kind: 'custom', target_id: null });
        break;
      }
      case 'goal_created':
        outcome.eventTypes.push({ bot_id: botOfCommit(outcome.bots, commit).bot_id, ...event.data, kind: 'target' });
        break;
      case 'reward_rule_created': {
        const { rule_id, name, trigger_event_id: trigger } = event.data;
        botOfCommit(outcome.bots, commit).rules.set(rule_id, { name, trigger });
        break;
      }
      case 'reward_rule_changed': {
        const { rules } = botOfCommit(outcome.bots, commit);
        const { rule_id, name } = event.data;
        if (name !== undefined) rules.set(rule_id, { ...rules.get(rule_id)!, name });
        break;
      }
      case 'bot_changed':
      case 'referral_code_created':
      case 'referral_code_owners_set':
      case 'referral_marked':
        learnPayloads(botOfCommit(outcome.bots, commit).payloads, event);
        break;
      case 'reward_refused':
        foldRefusal(outcome, commit, index, event.data);
        break;
      case 'custom_events_received':
      case 'target_events_received': {
        const bot = received(outcome, commit);
        const source = event.type === 'custom_events_received' ? 'send-event' : 'send-target';
        for (const item of event.data.items) foldEvent(outcome, bot, item, originOf(bot, commit, idx++), source);
        break;
      }
      case 'events_imported': {
        const bot = received(outcome, commit);
        for (const item of event.data.items) foldImported(outcome, bot, item, originOf(bot, commit, idx++));
        break;
      }
      case 'updates_received': {
        const bot = received(outcome, commit);
        for (const item of event.data.items) foldUpdate(outcome, bot, item, originOf(bot, commit, idx++));
        break;
      }
      case 'users_imported':
      case 'referrals_imported': {
        const bot = received(outcome, commit);
        for (const { user_id } of event.data.items)
          if (acceptUser(bot.intake, user_id)) addUser(outcome, userOf(bot, user_id), commit);
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
    intake: botIntake(bot_id, 0),
    payloads: payloadState({ pair, value }),
    units: new Map(),
    rules: new Map(),
    properties: propertyNames(0),
    utmCount: 0,
    userCount: 0,
    writer: null,
    archivedUntil: null,
  };
  outcome.bots.set(public_key, botOf(settings));
  for (const [name, event_id] of Object.entries(SYSTEM_EVENTS))
    outcome.eventTypes.push({ bot_id, event_id, kind: 'system', name, target_id: null });
  outcome.eventTypes.push({ bot_id, kind: 'target', ...SALE_GOAL });
}

/** A code has one unit: the bot's decider refuses a second one. */
function createUnit(outcome: Outcome, bot: Bot, { code, scale }: UnitCreated, commit: ReadCommit): void {
  if (bot.units.has(code)) return;
  const { at } = commit;
  const isCurrency = currencyDigits(code) !== undefined;
  bot.units.set(code, isCurrency ? { scale, ord: 0, at: 0 } : { scale, ord: ordOf(commit), at });
  if (!isCurrency) outcome.newUnits.push({ bot_id: bot.bot_id, unit: code, at });
}

type UnitCreated = Extract<ReadCommit['events'][number], { type: 'unit_created' }>['data'];

type BotCreated = Extract<ReadCommit['events'][number], { type: 'bot_created' }>['data'];

function received(outcome: Outcome, commit: ReadCommit): Bot {
  const bot = botOfCommit(outcome.bots, commit);
  advanceClock(bot.intake, commit.at);
  return bot;
}

function originOf({ bot_id }: Bot, commit: ReadCommit, idx: number): ItemOrigin {
  const { id, at, position, trace } = commit;
  return { bot_id, ord: ordOf(commit, idx), commit_id: id, idx, at, position, trace };
}

function foldEvent(
  outcome: Outcome,
  bot: Bot,
  item: CustomEventItem | TargetEventItem,
  origin: ItemOrigin,
  source: 'send-event' | 'send-target',
  mayEarn = true,
): void {
  const verdict = acceptEvent(bot.intake, item, origin.at);
  if (verdict === 'repeat') return;
  const { event_key } = item;
  if (event_key !== undefined) outcome.eventKeys.push({ bot, event_key });
  if (verdict === 'forgotten') return;
  const taken = item.properties === undefined ? null : takeProperties(bot.properties, item.properties);
  const event = eventDraft(item, origin, source, (unit) => scaleOf(bot, unit, source), taken?.json);
  let sent = taken?.json ?? null;
  if (taken !== null && taken.beyond.length > 0) {
    sent = propertiesJson(item.properties!);
    if (isKept(bot, origin.at)) outcome.propertyErrors.push({ event, sent, beyond: taken.beyond });
  }
  const user = userOf(bot, item.user_id);
  if (verdict === 'counts') {
    if (mayEarn) count(outcome, user, event, origin);
    else user.events.push(event);
    return;
  }
  const waits = verdict === 'waits';
  if (waits) user.pending.push(event);
  outcome.errors.set(event, { event, sent, waits, resolved_at: null });
}

/**
 * An event of the past makes its user known and earns no reward: its reward was paid elsewhere before
 * (decisions.md#import-events).
 */
function foldImported(outcome: Outcome, bot: Bot, item: ImportedEventItem, origin: ItemOrigin): void {
  if (acceptUser(bot.intake, item.user_id)) addUser(outcome, userOf(bot, item.user_id), origin);
  foldEvent(outcome, bot, item, origin, 'send-event', false);
}

function foldUpdate(outcome: Outcome, bot: Bot, item: Omit<UpdateItem, 'person'>, origin: ItemOrigin): void {
  const accepted = acceptUpdate(bot.intake, item, origin.at);
  if (accepted === null) return;
  const user = userOf(bot, item.user_id);
  if (accepted.userAppears) addUser(outcome, user, origin);
  if (item.event_id === undefined || !takeCharge(bot, item, origin, outcome.refundedPayments)) return;
  const event = eventDraft(
    { ...item, event_id: item.event_id },
    origin,
    'send-update',
    (unit) => scaleOf(bot, unit, 'send-update'),
    propertiesOf(item),
  );
  count(outcome, user, event, origin);
  const { userAppears: first_seen, visitBy: code } = accepted;
  if (code === null) return;
  const { date, ord, commit_id, idx } = event;
  user.visits.push({ date, ord, commit_id, idx, code, utm: utmOf(bot, code), first_seen });
}

/** The bot knows the user from here on. Events that waited for the user count now, unless they have waited too long. */
function addUser(outcome: Outcome, user: User, by: Pick<ItemOrigin, 'at' | 'position' | 'trace'>): void {
  user.idx = user.bot.userCount++;
  outcome.newUsers.push({ user, since: by.at });
  for (const event of user.pending) {
    if (!isInTime(user.bot.intake, event.date_received)) continue;
    count(outcome, user, event, by);
    const error = outcome.errors.get(event);
    if (error === undefined) outcome.released.push({ event, at: by.at });
    else error.resolved_at = by.at;
  }
}

/** Counts the event from the commit at `position` on: its own, or the one by which its user appeared. */
function count(
  outcome: Outcome,
  user: User,
  event: EventDraft,
  { position, trace }: Pick<ItemOrigin, 'position' | 'trace'>,
): void {
  user.events.push(event);
  const { bot } = user;
  if (!isTrigger(bot, event.event_id)) return;
  const value = valueNow(event, (unit) => scaleOf(bot, unit, event.source));
  outcome.rewardable.push({ event, value, position, trace });
}

function foldRefusal(outcome: Outcome, commit: ReadCommit, idx: number, refused: Refusal['refused']): void {
  const { bot_id, intake, rules } = botOfCommit(outcome.bots, commit);
  if (!isKept({ intake }, commit.at)) return;
  const rule = rules.get(refused.rule_id)!.name;
  outcome.refusals.push({ bot_id, commit_id: commit.id, idx, at: commit.at, refused, rule });
}

/** Whether a bot error of that time is kept. */
function isKept({ intake }: Pick<Bot, 'intake'>, at: number): boolean {
  return intake.clock - at <= ERROR_MEMORY_MS;
}

function userOf(bot: Bot, userId: number): User {
  let user = bot.users.get(userId);
  if (user === undefined) {
    user = newUser(bot, userId, null, null);
    bot.users.set(userId, user);
  }
  return user;
}

/** The UTM of a visit: one object for all visits of the batch with the same UTM. */
function utmOf(bot: Bot, payload: string): UtmUse | null {
  const utm = utmOfVisit(bot.payloads, payload);
  if (utm === null) return null;
  const text = JSON.stringify(utm);
  let use = bot.utms.get(text);
  if (use === undefined) {
    use = { utm, id: 0 };
    bot.utms.set(text, use);
  }
  return use;
}

import type { ClientBase } from 'pg';
import { UnreadableEventError } from '../../domain/event-type.ts';
import type { CustomFieldValue, ImportedUser, UpdateItem } from '../../domain/intake/events.ts';
import { importInClear, updateInClear } from '../../domain/intake/personal.ts';
import { parseUtm } from '../../domain/intake/utm.ts';
import { categoryOf, keyOf } from '../../log/stream-name.ts';
import { findByKey } from '../by-key.ts';
import { CODE_EVENTS, learnCodes, loadCodes, payloadsIn, saveCodes } from '../code-memory.ts';
import type { ReadCommit, ReadModel } from '../read-model.ts';
import { forget, isRepeat, KEEP_UPDATE_IDS, loadUpdateIds, saveUpdateIds } from '../update-memory.ts';
import { type Bot, loadBots, newBot, saveBots, saveErased, type UserChange } from './bots.ts';
import { applyErasure, applyImport, applyUnreachable, applyUpdate, applyVisit, newProfile } from './profile.ts';
import { loadUsers, saveUsers } from './store.ts';
import { USERS_DDL } from './tables.ts';

/** The users of bots as of now: what updates and imports tell of them. */
export const usersReadModel: ReadModel = {
  name: 'users',
  shape: 6,
  categories: ['bot', 'referral', 'intake', 'sending'],
  events: [
    'bot_created',
    'bot_changed',
    ...CODE_EVENTS,
    'updates_received',
    'users_imported',
    'user_erased',
    'users_unreachable',
  ],
  personal: true,
  ddl: USERS_DDL,
  async apply(tx, commits) {
    await findByKey(tx);
    const bots = await loadBatch(tx, commits);
    for (const commit of commits) foldCommit(bots, commit);
    const all = [...bots.values()];
    const users = all.flatMap(({ users }) => [...users.values()]);
    const memories = all.map(({ memory }) => memory);
    await saveBots(tx, all);
    await saveUsers(tx, users);
    await saveErased(tx, all);
    await saveUpdateIds(tx, memories);
    await saveCodes(
      tx,
      all.map(({ codes }) => codes),
    );
    await forget(tx, memories, [KEEP_UPDATE_IDS]);
  },
};

interface Named {
  readonly userIds: Set<number>;
  readonly updateIds: Set<number>;
  readonly payloads: Set<string>;
}

/** The bots that the commits are about, with those of their users and updates that the commits name. */
async function loadBatch(tx: ClientBase, commits: readonly ReadCommit[]): Promise<Map<string, Bot>> {
  const named = new Map<string, Named>();
  for (const { stream, events } of commits) {
    const key = keyOf(stream);
    const { userIds, updateIds, payloads } = named.get(key) ?? {
      userIds: new Set(),
      updateIds: new Set(),
      payloads: new Set(),
    };
    named.set(key, { userIds, updateIds, payloads });
    for (const event of events) {
      for (const payload of payloadsIn(event)) payloads.add(payload);
      if (event.type === 'user_erased') userIds.add(event.data.user_id);
      if (event.type === 'users_unreachable') for (const { user_id } of event.data.users) userIds.add(user_id);
      if (event.type !== 'updates_received' && event.type !== 'users_imported') continue;
      for (const item of event.data.items) {
        userIds.add(item.user_id);
        if ('update_id' in item) updateIds.add(item.update_id);
      }
    }
  }
  const bots = await loadBots(tx, [...named.keys()]);
  const wanted = [...bots].map(([key, bot]) => ({ bot, memory: bot.memory, ...named.get(key)! }));
  await loadUsers(tx, wanted);
  await loadUpdateIds(tx, wanted);
  await loadCodes(
    tx,
    wanted.map(({ bot, payloads }) => ({ memory: bot.codes, payloads })),
  );
  return bots;
}

function foldCommit(bots: Map<string, Bot>, commit: ReadCommit): void {
  // By what this read model gets of the intake: it is only compared with receipts of updates.
  if (categoryOf(commit.stream) === 'intake' && commit.events.length > 0) {
    const { memory } = botOf(bots, commit);
    memory.clock = Math.max(memory.clock, commit.at);
  }
  for (const event of commit.events)
    switch (event.type) {
      case 'bot_created': {
        const { bot_id, public_key, pair_separator: pair, value_separator: value } = event.data;
        bots.set(public_key, newBot(bot_id, public_key, { pair, value }, 0));
        break;
      }
      case 'bot_changed': {
        const bot = botOf(bots, commit);
        const { pair_separator: pair, value_separator: value } = event.data;
        bot.separators = { pair: pair ?? bot.separators.pair, value: value ?? bot.separators.value };
        break;
      }
      case 'referral_code_created':
      case 'referral_code_owners_set':
      case 'referral_marked':
        learnCodes(botOf(bots, commit).codes, event);
        break;
      case 'updates_received': {
        const bot = botOf(bots, commit);
        for (const item of event.data.items) foldUpdate(bot, updateInClear(item), commit.at);
        break;
      }
      case 'users_imported': {
        const bot = botOf(bots, commit);
        for (const item of event.data.items) foldImport(bot, importInClear(item), commit.at);
        break;
      }
      case 'user_erased':
        foldErasure(botOf(bots, commit), event.data.user_id);
        break;
      case 'users_unreachable': {
        const { users } = botOf(bots, commit);
        for (const { user_id, user_status } of event.data.users) {
          const user = users.get(user_id);
          if (user !== undefined) applyUnreachable(user.profile, user_status, commit.at);
        }
        break;
      }
    }
}

function botOf(bots: ReadonlyMap<string, Bot>, { stream }: ReadCommit): Bot {
  const bot = bots.get(keyOf(stream));
  if (bot === undefined) throw new UnreadableEventError(`${stream}: there is no such bot before it in the log`);
  return bot;
}

function foldUpdate(bot: Bot, item: UpdateItem, at: number): void {
  if (isRepeat(bot.memory, item.update_id, at)) return;
  const date = item.date ?? at;
  // What a group tells of someone who is not a user of the bot makes no user.
  const user = item.makes_user ? userOf(bot, item.user_id, date) : bot.users.get(item.user_id);
  if (user === undefined) return;
  applyUpdate(user.profile, item, date);
  const { start_param } = item;
  if (start_param === undefined) return;
  const utm = parseUtm(start_param, bot.separators, bot.codes.codes.has(start_param));
  applyVisit(user.profile, date, start_param, utm);
}

function foldImport(bot: Bot, item: ImportedUser, at: number): void {
  const user = userOf(bot, item.user_id, at);
  applyImport(user.profile, item, at);
  for (const [name, value] of Object.entries(item.custom_fields ?? {})) user.customFields.set(name, jsonText(value));
}

function foldErasure({ users, erased }: Bot, userId: number): void {
  erased.add(userId);
  const user = users.get(userId);
  if (user === undefined) return;
  applyErasure(user.profile);
  user.customFields.clear();
  user.erased = true;
}

function userOf({ bot_id, users }: Bot, user_id: number, date: number): UserChange {
  let user = users.get(user_id);
  if (user === undefined) {
    user = { bot_id, user_id, profile: newProfile(date), loaded: null, customFields: new Map(), erased: false };
    users.set(user_id, user);
  }
  return user;
}

function jsonText(value: CustomFieldValue): string {
  return typeof value === 'object' ? value.number : JSON.stringify(value);
}

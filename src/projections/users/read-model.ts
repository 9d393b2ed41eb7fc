import type { ClientBase } from 'pg';
import type { CustomFieldValue, ImportedUser, UpdateItem } from '../../domain/intake/intake-events.ts';
import {
  acceptUpdate,
  acceptUser,
  advanceClock,
  CODE_EVENTS,
  learnPayloads,
  type NamedKeys,
  namedKeys,
  nameKeys,
  utmOfVisit,
} from '../../domain/intake/intake-fold.ts';
import { importInClear, updateInClear } from '../../domain/intake/personal.ts';
import { categoryOf, keyOf } from '../../log/stream-name.ts';
import { findByKey } from '../batch-sql.ts';
import {
  botOfCommit,
  deleteExpired,
  loadCodes,
  loadUpdateIds,
  saveCodes,
  saveUpdateIds,
  UPDATE_IDS_RETENTION,
} from '../intake-state.ts';
import type { ReadCommit, ReadModel } from '../read-model.ts';
import { usersManifest } from './manifest.ts';
import {
  applyErasure,
  applyImport,
  applyPastEvent,
  applyUnreachable,
  applyUpdate,
  applyVisit,
  newProfile,
} from './profile.ts';
import { type Bot, loadBots, loadUsers, newBot, saveBots, saveErased, saveUsers, type UserChange } from './store.ts';
import { CHANGES_TABLES, forgetChanges, USERS_DDL, USERS_PLACEMENT } from './tables.ts';

/** The users of bots as of now, by updates and imports. */
export const usersReadModel: ReadModel = {
  ...usersManifest,
  isolatesBots: true,
  events: [
    'bot_created',
    'bot_changed',
    ...CODE_EVENTS,
    'updates_received',
    'users_imported',
    'events_imported',
    'referrals_imported',
    'user_erased',
    'users_unreachable',
  ],
  personal: true,
  ddl: USERS_DDL,
  placement: USERS_PLACEMENT,
  derived: CHANGES_TABLES,
  forget: forgetChanges,
  async apply(tx, commits) {
    await findByKey(tx);
    const bots = await loadBatch(tx, commits);
    for (const commit of commits) foldCommit(bots, commit);
    const all = [...bots.values()];
    const users = all.flatMap(({ users }) => [...users.values()]);
    const intakes = all.map(({ intake }) => intake);
    await saveBots(tx, all);
    await saveUsers(tx, users);
    await saveErased(tx, all);
    await saveUpdateIds(tx, intakes);
    await saveCodes(tx, all);
    await deleteExpired(tx, intakes, [UPDATE_IDS_RETENTION]);
  },
};

/** The categories whose commits bring updates or events. */
const INTAKE: ReadonlySet<string> = new Set(['intake', 'import']);

/** The bots that the commits are about, with the users, updates and payloads that the commits name. */
async function loadBatch(tx: ClientBase, commits: readonly ReadCommit[]): Promise<Map<string, Bot>> {
  const named = new Map<string, NamedKeys>();
  for (const { stream, events } of commits) {
    const key = keyOf(stream);
    const keys = named.get(key) ?? namedKeys();
    named.set(key, keys);
    for (const event of events) {
      nameKeys(keys, event);
      if (event.type === 'user_erased') keys.users.add(event.data.user_id);
      if (event.type === 'users_unreachable') for (const { user_id } of event.data.users) keys.users.add(user_id);
    }
  }
  const bots = await loadBots(tx, [...named.keys()]);
  const wanted = [...bots].map(([key, bot]) => ({ bot, intake: bot.intake, ...named.get(key)! }));
  await loadUsers(tx, wanted);
  await loadUpdateIds(tx, wanted);
  await loadCodes(tx, wanted);
  return bots;
}

function foldCommit(bots: Map<string, Bot>, commit: ReadCommit): void {
  // The clock goes by the intake commits that this read model gets. It is only compared with receipts of updates.
  if (INTAKE.has(categoryOf(commit.stream)) && commit.events.length > 0)
    advanceClock(botOfCommit(bots, commit).intake, commit.at);
  for (const event of commit.events)
    switch (event.type) {
      case 'bot_created': {
        const { bot_id, public_key, pair_separator: pair, value_separator: value } = event.data;
        bots.set(public_key, newBot(bot_id, public_key, { pair, value }, 0));
        break;
      }
      case 'bot_changed':
      case 'referral_code_created':
      case 'referral_code_owners_set':
      case 'referral_marked':
        learnPayloads(botOfCommit(bots, commit).payloads, event);
        break;
      case 'updates_received': {
        const bot = botOfCommit(bots, commit);
        for (const item of event.data.items) foldUpdate(bot, updateInClear(item), commit.at);
        break;
      }
      case 'users_imported': {
        const bot = botOfCommit(bots, commit);
        for (const item of event.data.items) foldImport(bot, importInClear(item), commit.at);
        break;
      }
      case 'events_imported': {
        const bot = botOfCommit(bots, commit);
        for (const { user_id, date } of event.data.items) {
          const user = acceptUser(bot.intake, user_id) ? addUser(bot, user_id, date) : bot.users.get(user_id)!;
          applyPastEvent(user.profile, date);
        }
        break;
      }
      case 'referrals_imported': {
        const bot = botOfCommit(bots, commit);
        for (const { user_id } of event.data.items)
          if (acceptUser(bot.intake, user_id)) addUser(bot, user_id, commit.at);
        break;
      }
      case 'user_erased':
        foldErasure(botOfCommit(bots, commit), event.data.user_id);
        break;
      case 'users_unreachable': {
        const { users } = botOfCommit(bots, commit);
        for (const { user_id, user_status } of event.data.users) {
          const user = users.get(user_id);
          if (user !== undefined) applyUnreachable(user.profile, user_status, commit.at);
        }
        break;
      }
    }
}

function foldUpdate(bot: Bot, item: UpdateItem, at: number): void {
  const accepted = acceptUpdate(bot.intake, item, at);
  if (accepted === null) return;
  const date = item.date ?? at;
  const { profile } = accepted.userAppears ? addUser(bot, item.user_id, date) : bot.users.get(item.user_id)!;
  if (item.by_bot !== true) applyUpdate(profile, item, date);
  const { visitBy } = accepted;
  if (visitBy !== null) applyVisit(profile, date, visitBy, utmOfVisit(bot.payloads, visitBy));
}

function foldImport(bot: Bot, item: ImportedUser, at: number): void {
  const appears = acceptUser(bot.intake, item.user_id);
  const user = appears ? addUser(bot, item.user_id, at) : bot.users.get(item.user_id)!;
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

function addUser({ bot_id, users }: Bot, user_id: number, date: number): UserChange {
  const user = { bot_id, user_id, profile: newProfile(date), loaded: null, customFields: new Map(), erased: false };
  users.set(user_id, user);
  return user;
}

function jsonText(value: CustomFieldValue): string {
  return typeof value === 'object' ? value.number : JSON.stringify(value);
}

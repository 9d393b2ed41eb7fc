import type { ClientBase } from 'pg';
import { ofBot, onlyBot } from '../../database/of-bot.ts';
import { type NamedKeys, nameAppearing, namedKeys, nameKeys } from '../../domain/intake/intake-fold.ts';
import { keyOf } from '../../log/stream-name.ts';
import { nameOf, numbers } from '../batch-sql.ts';
import { loadCodes, loadUpdateIds } from '../intake-state.ts';
import type { ReadCommit } from '../read-model.ts';
import { rowsByKey } from '../rows-by-key.ts';
import type { Bot, Tail, User } from './batch.ts';
import { loadCharges, nameCharges } from './charges.ts';
import type { EventDraft } from './draft.ts';
import { loadBots } from './event-bots.ts';
import { loadPropertyNames } from './property-rows.ts';

/** Loads the bots that the commits are about, with the state that these commits need, by a handful of queries. */
export async function loadBatch(
  tx: ClientBase,
  commits: readonly ReadCommit[],
  tails: TailCache,
): Promise<Map<string, Bot>> {
  const named = namedIn(commits);
  if (named.size === 0) return new Map();
  const bots = await loadBots(tx, [...named.keys()]);
  const wanted = [...bots.values()].map((bot) => ({ bot, named: named.get(bot.public_key)! }));
  await loadUsers(tx, wanted, tails);
  await loadUpdateIds(
    tx,
    wanted.map(({ bot: { intake }, named: { updateIds } }) => ({ intake, updateIds })),
  );
  await loadEventKeys(tx, wanted);
  await loadCharges(
    tx,
    wanted.flatMap(({ bot, named: { charges } }) => [...charges].map((id) => ({ bot, id }))),
  );
  await loadCodes(
    tx,
    wanted.map(({ bot, named: { payloads } }) => ({ bot, payloads })),
  );
  await loadPropertyNames(
    tx,
    wanted.flatMap(({ bot, named: { properties } }) => [...properties].map((name) => ({ bot, name }))),
  );
  return bots;
}

interface Named extends NamedKeys {
  /** The users that the batch may make known. */
  readonly appearing: Set<number>;
  /** Names of custom properties. */
  readonly properties: Set<string>;
  /** The platform's ids of charges. */
  readonly charges: Set<string>;
}

type Wanted = readonly { readonly bot: Bot; readonly named: Named }[];

const BOT_STREAM = /^(?:bot|eventtypes|program|referral|intake|import|account)-/;

function namedIn(commits: readonly ReadCommit[]): Map<string, Named> {
  const named = new Map<string, Named>();
  for (const commit of commits) {
    if (!BOT_STREAM.test(commit.stream)) continue;
    const key = keyOf(commit.stream);
    let keys = named.get(key);
    if (keys === undefined) {
      keys = { ...namedKeys(), appearing: new Set(), properties: new Set(), charges: new Set() };
      named.set(key, keys);
    }
    for (const event of commit.events) {
      nameKeys(keys, event);
      nameAppearing(keys.appearing, event);
      nameProperties(keys.properties, event);
      nameCharges(keys.charges, event);
    }
  }
  return named;
}

function nameProperties(names: Set<string>, event: ReadCommit['events'][number]): void {
  switch (event.type) {
    case 'custom_events_received':
    case 'target_events_received':
    case 'events_imported':
      break;
    default:
      return;
  }
  for (const { properties } of event.data.items)
    if (properties !== undefined) for (const name of Object.keys(properties)) names.add(name);
}

/** Arrays that `unnest` zips: each key of each bot, with its bot. */
function pairs<T>(wanted: Wanted, pick: (named: Named) => ReadonlySet<T>): { bots: Bot[]; ids: number[]; keys: T[] } {
  const bots: Bot[] = [];
  const keys: T[] = [];
  for (const { bot, named } of wanted)
    for (const key of pick(named)) {
      bots.push(bot);
      keys.push(key);
    }
  return { bots, ids: bots.map(({ bot_id }) => bot_id), keys };
}

/** A user with an event is known, so only the others are looked up in `known_users`. */
const usersSql = (only: number | null): string => `
SELECT CASE WHEN t.date IS NOT NULL THEN t.user_idx
            ELSE (SELECT k.idx FROM known_users k
                  WHERE k.bot_id = u.bot_id AND k.user_id = u.user_id AND ${ofBot('k.bot_id', only)}) END,
       t.date::float8, t.ord::float8, t.session::float8, t.utm_id
  FROM unnest($1::int[], $2::bigint[]) WITH ORDINALITY AS u (bot_id, user_id, i)
  LEFT JOIN LATERAL (
    SELECT e.date, e.ord, e.session, e.utm_id, e.user_idx FROM events e
     WHERE e.bot_id = u.bot_id AND e.user_id = u.user_id AND ${ofBot('e.bot_id', only)}
     ORDER BY e.date DESC, e.ord DESC LIMIT 1) t ON true
 ORDER BY u.i`;

type UserRow = [number | null, number | null, number, number, number | null];

async function loadUsers(tx: ClientBase, wanted: Wanted, tails: TailCache): Promise<void> {
  const unseen = wanted.map(({ bot, named }) => {
    tails.check(bot);
    const users = new Set<number>();
    for (const userId of named.users) {
      const tail = tails.get(bot, userId);
      if (tail === undefined) users.add(userId);
      else bot.users.set(userId, newUser(bot, userId, tail.user_idx, tail));
    }
    return { bot, named: { ...named, users } };
  });
  const { bots, ids, keys: userIds } = pairs(unseen, (named) => named.users);
  if (userIds.length > 0) {
    const only = onlyBot(tx, ids);
    const { rows } = await tx.query<UserRow>({
      name: nameOf('events.load_users', only),
      text: usersSql(only),
      values: [numbers(ids), numbers(userIds)],
      rowMode: 'array',
    });
    for (const [i, bot] of bots.entries()) {
      const [idx, date, ord, session, utm_id] = rows[i]!;
      const tail = date === null ? null : { date, ord, session, utm_id, user_idx: idx! };
      bot.users.set(userIds[i]!, newUser(bot, userIds[i]!, idx, tail));
    }
  }
  await loadPending(tx, wanted);
}

/** @param idx as in `known_users`; null: the bot does not know the user */
export function newUser(bot: Bot, user_id: number, idx: number | null, tail: User['tail']): User {
  if (idx !== null) bot.intake.knownUsers.add(user_id);
  return { bot, user_id, idx: idx ?? -1, tail, pending: [], events: [], visits: [] };
}

/** Loads the events that wait for users that the batch may make known. */
async function loadPending(tx: ClientBase, wanted: Wanted): Promise<void> {
  const unknown = wanted.map(({ bot, named }) => ({
    bot,
    named: { ...named, users: new Set([...named.appearing].filter((id) => !bot.intake.knownUsers.has(id))) },
  }));
  const { ids, keys: userIds } = pairs(unknown, (named) => named.users);
  if (userIds.length === 0) return;
  const only = onlyBot(tx, ids);
  const { rows } = await tx.query<{ bot_id: number; draft: EventDraft }>({
    name: nameOf('events.load_pending', only),
    text: `SELECT p.bot_id, p.draft FROM pending_events p
            WHERE (p.bot_id, p.user_id) IN (SELECT * FROM unnest($1::int[], $2::bigint[])) AND ${ofBot('p.bot_id', only)}
            ORDER BY p.bot_id, p.user_id, p.ord`,
    values: [numbers(ids), numbers(userIds)],
  });
  const byId = new Map(wanted.map(({ bot }) => [bot.bot_id, bot]));
  for (const { bot_id, draft } of rows) byId.get(bot_id)!.users.get(draft.user_id)!.pending.push(draft);
}

async function loadEventKeys(tx: ClientBase, wanted: Wanted): Promise<void> {
  const { bots, keys } = pairs(wanted, (named) => named.eventKeys);
  const table = { table: 'event_keys', key: 'event_key' };
  for (const [i] of await rowsByKey(tx, 'events.load_event_keys', table, bots, keys))
    bots[i]!.intake.eventKeys.add(keys[i]!);
}

/**
 * Caches the last events of users from batch to batch. Reading them takes as long as writing the new ones (4.5 and 5 µs
 * an event), and most events are of users with a recent event.
 *
 * The tails of a bot are valid as long as only the batches of this cache write to the bot. Every batch writes the bot's row,
 * so the id of its last writing transaction (`xmin`) shows that. After a rollback, or after a batch of another projector,
 * it differs from the id recorded here, and the cache drops all tails of the bot.
 */
export interface TailCache {
  /** Drops the tails of a bot whose loaded row has another writer than the recorded one. */
  check(bot: Bot): void;
  get(bot: Bot, userId: number): Tail | undefined;
  set(user: User, tail: Tail): void;
  delete(user: User): void;
  /** Records the transaction that now writes the bot's row. */
  recordWriter(bot: Bot, writer: string): void;
}

interface BotTails {
  writer: string | null;
  readonly tails: Map<number, Tail>;
}

/** @param limit the most tails of all bots; 100,000 take about 15 MB. At the limit all are dropped. */
export function tailCache(limit = 200_000): TailCache {
  const bots = new Map<number, BotTails>();
  let size = 0;

  function tailsOf(botId: number): BotTails {
    let kept = bots.get(botId);
    if (kept === undefined) {
      kept = { writer: null, tails: new Map() };
      bots.set(botId, kept);
    }
    return kept;
  }

  function check({ bot_id, writer }: Bot): void {
    const kept = tailsOf(bot_id);
    if (kept.writer === writer) return;
    size -= kept.tails.size;
    kept.tails.clear();
  }

  return {
    check,
    get: ({ bot_id }, userId) => bots.get(bot_id)?.tails.get(userId),
    set({ bot, user_id }, tail) {
      if (size >= limit) {
        for (const { tails } of bots.values()) tails.clear();
        size = 0;
      }
      const { tails } = tailsOf(bot.bot_id);
      if (!tails.has(user_id)) size++;
      tails.set(user_id, tail);
    },
    delete({ bot, user_id }) {
      if (bots.get(bot.bot_id)?.tails.delete(user_id)) size--;
    },
    recordWriter(bot, writer) {
      check(bot); // a bot that the batch created may have been created before, by a batch that was rolled back
      tailsOf(bot.bot_id).writer = writer;
    },
  };
}

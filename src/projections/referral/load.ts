import type { ClientBase } from 'pg';
import { keyOf } from '../../log/stream-name.ts';
import { numbers } from '../by-key.ts';
import type { ReadCommit } from '../read-model.ts';
import { loadUpdateIds } from '../update-memory.ts';
import { type Bot, loadBots, newBot } from './bots.ts';

/** What a batch names, of one bot. */
interface Named {
  /** Users that it makes known, or that visit. */
  readonly users: Set<number>;
  readonly updateIds: Set<number>;
  readonly codes: Set<string>;
  /** Users who may own a code. */
  readonly owners: Set<number>;
  /** Users who may have a referrer. */
  readonly referred: Set<number>;
}

type Wanted = readonly (Named & { readonly bot: Bot })[];

/** The bots that the commits are about, with all that these commits ask of them: a handful of queries. */
export async function loadBatch(tx: ClientBase, commits: readonly ReadCommit[]): Promise<Map<string, Bot>> {
  const named = namedIn(commits);
  const bots = await loadBots(tx, [...named.keys()]);
  for (const { events } of commits)
    for (const event of events) if (event.type === 'bot_created') createBot(bots, event.data);
  const wanted: Wanted = [...bots.values()].map((bot) => ({ bot, ...named.get(bot.public_key)! }));
  await loadUpdateIds(
    tx,
    wanted.map(({ bot: { memory }, updateIds }) => ({ memory, updateIds })),
  );
  await loadKnownUsers(tx, wanted);
  await loadCodes(tx, wanted);
  await loadOwners(tx, wanted);
  await loadReferrers(tx, wanted);
  return bots;
}

type BotCreated = Extract<ReadCommit['events'][number], { type: 'bot_created' }>['data'];

function createBot(bots: Map<string, Bot>, { bot_id, public_key, referral_new_users_only }: BotCreated): void {
  bots.set(public_key, newBot(bot_id, public_key, referral_new_users_only, 0));
}

function namedIn(commits: readonly ReadCommit[]): Map<string, Named> {
  const named = new Map<string, Named>();
  for (const { stream, events } of commits) {
    const key = keyOf(stream);
    let of = named.get(key);
    if (of === undefined) {
      of = { users: new Set(), updateIds: new Set(), codes: new Set(), owners: new Set(), referred: new Set() };
      named.set(key, of);
    }
    for (const event of events) nameItems(event, of);
  }
  return named;
}

function nameItems(event: ReadCommit['events'][number], named: Named): void {
  const { users, updateIds, codes, owners, referred } = named;
  switch (event.type) {
    case 'updates_received':
      for (const { update_id, user_id, makes_user, start_param } of event.data.items) {
        updateIds.add(update_id);
        if (makes_user || start_param !== undefined) users.add(user_id);
        if (start_param === undefined) continue;
        codes.add(start_param);
        referred.add(user_id);
      }
      return;
    case 'users_imported':
      for (const { user_id } of event.data.items) users.add(user_id);
      return;
    case 'referral_code_created':
      codes.add(event.data.code);
      return;
    case 'referral_code_owners_set':
      for (const { code } of event.data.elements) codes.add(code);
      return;
    case 'referral_marked': {
      const { referral_user_id, code, referrer_id, new_code } = event.data;
      referred.add(referral_user_id);
      if (code !== null) codes.add(code);
      if (new_code !== null) codes.add(new_code);
      if (referrer_id !== null) owners.add(referrer_id);
    }
  }
}

/** What is asked of several bots: arrays that `unnest` zips. */
function asked<T>(wanted: Wanted, pick: (named: Named) => Iterable<T>): { bots: Bot[]; ids: string; things: T[] } {
  const bots: Bot[] = [];
  const things: T[] = [];
  for (const named of wanted)
    for (const thing of pick(named)) {
      bots.push(named.bot);
      things.push(thing);
    }
  return { bots, ids: numbers(bots.map(({ bot_id }) => bot_id)), things };
}

async function loadKnownUsers(tx: ClientBase, wanted: Wanted): Promise<void> {
  const { bots, ids, things } = asked(wanted, ({ users }) => users);
  if (things.length === 0) return;
  const { rows } = await tx.query<[number]>({
    name: 'referral.load_known_users',
    text: `SELECT u.i::int FROM unnest($1::int[], $2::bigint[]) WITH ORDINALITY AS u (bot_id, user_id, i)
             JOIN known_users k USING (bot_id, user_id)`,
    values: [ids, numbers(things)],
    rowMode: 'array',
  });
  for (const [i] of rows) bots[i - 1]!.known.add(things[i - 1]!);
}

async function loadCodes(tx: ClientBase, wanted: Wanted): Promise<void> {
  const { bots, ids, things } = asked(wanted, ({ codes }) => codes);
  if (things.length === 0) return;
  const { rows } = await tx.query<[number, number | null]>({
    name: 'referral.load_codes',
    text: `SELECT u.i::int, c.owner_id::float8
             FROM unnest($1::int[], $2::text[]) WITH ORDINALITY AS u (bot_id, code, i)
             JOIN codes c ON c.bot_id = u.bot_id AND c.code = u.code`,
    values: [ids, things],
    rowMode: 'array',
  });
  for (const [i, owner_id] of rows) bots[i - 1]!.attribution.codes.set(things[i - 1]!, owner_id);
}

async function loadOwners(tx: ClientBase, wanted: Wanted): Promise<void> {
  const { bots, ids, things } = asked(wanted, ({ owners }) => owners);
  if (things.length === 0) return;
  const { rows } = await tx.query<[number]>({
    name: 'referral.load_owners',
    text: `SELECT u.i::int FROM unnest($1::int[], $2::bigint[]) WITH ORDINALITY AS u (bot_id, owner_id, i)
            WHERE EXISTS (SELECT FROM codes c WHERE c.bot_id = u.bot_id AND c.owner_id = u.owner_id)`,
    values: [ids, numbers(things)],
    rowMode: 'array',
  });
  for (const [i] of rows) bots[i - 1]!.attribution.owners.add(things[i - 1]!);
}

async function loadReferrers(tx: ClientBase, wanted: Wanted): Promise<void> {
  for (const { bot, referred } of wanted) for (const userId of referred) bot.referred.add(userId);
  await updateReferrers(
    tx,
    wanted.map(({ bot }) => bot),
  );
}

/** Fills in who refers the users that the batch may refer, as far as the table knows. */
export async function updateReferrers(tx: ClientBase, all: readonly Bot[]): Promise<void> {
  const bots = all.flatMap((bot) => [...bot.referred].map(() => bot));
  const users = all.flatMap(({ referred }) => [...referred]);
  if (users.length === 0) return;
  const { rows } = await tx.query<[number, number]>({
    name: 'referral.load_referrers',
    text: `SELECT u.i::int, r.referrer_id::float8
             FROM unnest($1::int[], $2::bigint[]) WITH ORDINALITY AS u (bot_id, user_id, i)
             JOIN referrals r USING (bot_id, user_id)`,
    values: [numbers(bots.map(({ bot_id }) => bot_id)), numbers(users)],
    rowMode: 'array',
  });
  for (const [i, referrer_id] of rows) bots[i - 1]!.attribution.referrers.set(users[i - 1]!, referrer_id);
}

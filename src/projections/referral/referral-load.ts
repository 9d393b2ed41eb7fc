import type { ClientBase } from 'pg';
import { ofBot, onlyBot } from '../../database/of-bot.ts';
import { type NamedKeys, namedKeys, nameKeys } from '../../domain/intake/intake-fold.ts';
import { type Attribution, emptyAttribution, type Outcome } from '../../domain/referral/attribution.ts';
import { keyOf } from '../../log/stream-name.ts';
import { nameOf, numbers } from '../batch-sql.ts';
import { loadBotRows } from '../bot-rows.ts';
import { type BotIntake, botIntake, loadUpdateIds } from '../intake-state.ts';
import type { ReadCommit } from '../read-model.ts';
import { rowsByKey } from '../rows-by-key.ts';

/** The parts of a bot's state that a batch needs, and the rows that the batch adds. */
export interface Bot {
  readonly bot_id: number;
  readonly public_key: string;
  newUsersOnly: boolean;
  readonly intake: BotIntake;
  /** Users that the batch may refer. */
  readonly referred: Set<number>;
  readonly attribution: Attribution;
  readonly added: Added;
}

/** Rows to write. */
interface Added {
  users: number[];
  /** By code. */
  readonly codes: Map<string, CodeRow>;
  /** By code and user. */
  readonly visits: Map<string, VisitRow>;
  referrals: ReferralRow[];
  outcomes: OutcomeRow[];
}

interface CodeRow {
  readonly code: string;
  readonly owner_id: number | null;
  readonly listed: boolean;
  readonly date_create: number | null;
  readonly ord: number | null;
}

interface VisitRow {
  readonly code: string;
  readonly user_id: number;
  readonly date: number;
  readonly ord: number;
}

interface ReferralRow {
  readonly user_id: number;
  readonly referrer_id: number;
  readonly code: string | null;
  readonly date: number;
  readonly ord: number;
}

interface OutcomeRow {
  readonly commit_id: string;
  readonly date: number;
  readonly outcome: Outcome;
}

function newBot(bot_id: number, public_key: string, newUsersOnly: boolean, clock: number): Bot {
  return {
    bot_id,
    public_key,
    newUsersOnly,
    intake: botIntake(bot_id, clock),
    referred: new Set(),
    attribution: emptyAttribution(),
    added: { users: [], codes: new Map(), visits: new Map(), referrals: [], outcomes: [] },
  };
}

async function loadBots(tx: ClientBase, publicKeys: readonly string[]): Promise<Map<string, Bot>> {
  const columns = () => 'bot_id, public_key, new_users_only, clock::float8';
  const rows = await loadBotRows<BotRow>(tx, 'referral.load_bots', columns, publicKeys);
  return new Map(
    rows.map(({ bot_id, public_key, new_users_only, clock }) => [
      public_key,
      newBot(bot_id, public_key, new_users_only, clock),
    ]),
  );
}

interface BotRow {
  readonly bot_id: number;
  readonly public_key: string;
  readonly new_users_only: boolean;
  readonly clock: number;
}

export async function saveBots(tx: ClientBase, bots: readonly Bot[]): Promise<void> {
  await tx.query({
    name: 'referral.save_bots',
    text: `INSERT INTO bots (bot_id, public_key, new_users_only, clock)
           SELECT * FROM unnest($1::int[], $2::text[], $3::boolean[], $4::bigint[])
           ON CONFLICT (bot_id) DO UPDATE SET new_users_only = EXCLUDED.new_users_only, clock = EXCLUDED.clock`,
    values: [
      numbers(bots.map(({ bot_id }) => bot_id)),
      bots.map(({ public_key }) => public_key),
      bots.map(({ newUsersOnly }) => newUsersOnly),
      numbers(bots.map(({ intake }) => intake.clock)),
    ],
  });
}

/** The keys that a batch names, of one bot. */
interface Named extends NamedKeys {
  /** Users who may own a code. */
  readonly owners: Set<number>;
}

type Wanted = readonly (Named & { readonly bot: Bot })[];

/** Loads the bots of the commits, with the state that the commits need, in a handful of queries. */
export async function loadBatch(tx: ClientBase, commits: readonly ReadCommit[]): Promise<Map<string, Bot>> {
  const named = namedIn(commits);
  const bots = await loadBots(tx, [...named.keys()]);
  for (const { events } of commits)
    for (const event of events) if (event.type === 'bot_created') createBot(bots, event.data);
  const wanted: Wanted = [...bots.values()].map((bot) => ({ bot, ...named.get(bot.public_key)! }));
  await loadUpdateIds(
    tx,
    wanted.map(({ bot: { intake }, updateIds }) => ({ intake, updateIds })),
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
    let keys = named.get(key);
    if (keys === undefined) {
      keys = { ...namedKeys(), owners: new Set() };
      named.set(key, keys);
    }
    for (const event of events) {
      nameKeys(keys, event);
      nameMark(keys, event);
    }
  }
  return named;
}

/** Adds the keys of a mark. The user of a mark may be referred, as a visitor. */
function nameMark({ payloads, owners, visitors }: Named, event: ReadCommit['events'][number]): void {
  if (event.type === 'referrals_imported') for (const { user_id } of event.data.items) visitors.add(user_id);
  if (event.type !== 'referral_marked') return;
  const { referral_user_id, code, referrer_id } = event.data;
  visitors.add(referral_user_id);
  if (code !== null) payloads.add(code);
  if (referrer_id !== null) owners.add(referrer_id);
}

interface Asked<T> {
  readonly bots: Bot[];
  readonly things: T[];
}

/** The keys of all bots, each with its bot, as parallel arrays. */
function asked<T>(wanted: Wanted, pick: (named: Named) => Iterable<T>): Asked<T> {
  const bots: Bot[] = [];
  const things: T[] = [];
  for (const named of wanted)
    for (const thing of pick(named)) {
      bots.push(named.bot);
      things.push(thing);
    }
  return { bots, things };
}

async function loadKnownUsers(tx: ClientBase, wanted: Wanted): Promise<void> {
  const { bots, things } = asked(wanted, ({ users }) => users);
  const table = { table: 'known_users', key: 'user_id' };
  for (const [i] of await rowsByKey(tx, 'referral.load_known_users', table, bots, things))
    bots[i]!.intake.knownUsers.add(things[i]!);
}

async function loadCodes(tx: ClientBase, wanted: Wanted): Promise<void> {
  const { bots, things } = asked(wanted, ({ payloads }) => payloads);
  const table = { table: 'codes', key: 'code', columns: 'owner_id::float8' };
  for (const [i, owner_id] of await rowsByKey<[number | null]>(tx, 'referral.load_codes', table, bots, things))
    bots[i]!.attribution.codes.set(things[i]!, owner_id);
}

async function loadOwners(tx: ClientBase, wanted: Wanted): Promise<void> {
  const { bots, things } = asked(wanted, ({ owners }) => owners);
  if (things.length === 0) return;
  const ids = bots.map(({ bot_id }) => bot_id);
  const only = onlyBot(tx, ids);
  const { rows } = await tx.query<[number]>({
    name: nameOf('referral.load_owners', only),
    text: `SELECT u.i::int FROM unnest($1::int[], $2::bigint[]) WITH ORDINALITY AS u (bot_id, owner_id, i)
            WHERE EXISTS (SELECT FROM codes c WHERE c.bot_id = u.bot_id AND c.owner_id = u.owner_id
                             AND ${ofBot('c.bot_id', only)})`,
    values: [numbers(ids), numbers(things)],
    rowMode: 'array',
  });
  for (const [i] of rows) bots[i - 1]!.attribution.owners.add(things[i - 1]!);
}

async function loadReferrers(tx: ClientBase, wanted: Wanted): Promise<void> {
  for (const { bot, visitors } of wanted) for (const userId of visitors) bot.referred.add(userId);
  await updateReferrers(
    tx,
    wanted.map(({ bot }) => bot),
  );
}

/** Loads the referrers of the users that the batch may refer. */
export async function updateReferrers(tx: ClientBase, all: readonly Bot[]): Promise<void> {
  const bots = all.flatMap((bot) => [...bot.referred].map(() => bot));
  const users = all.flatMap(({ referred }) => [...referred]);
  const table = { table: 'referrals', key: 'user_id', columns: 'referrer_id::float8' };
  for (const [i, referrer_id] of await rowsByKey<[number]>(tx, 'referral.load_referrers', table, bots, users))
    bots[i]!.attribution.referrers.set(users[i]!, referrer_id);
}

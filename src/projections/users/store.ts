import type { ClientBase } from 'pg';
import { ofBot, onlyBot } from '../../database/of-bot.ts';
import { type PayloadState, payloadState } from '../../domain/intake/intake-fold.ts';
import type { Separators } from '../../domain/intake/utm.ts';
import { copyInto, copyLine, nameOf, numbers } from '../batch-sql.ts';
import { loadBotRows } from '../bot-rows.ts';
import { type BotIntake, botIntake } from '../intake-state.ts';
import type { Profile } from './profile.ts';

/** A bot as of its log so far, and its users that a batch names. */
export interface Bot {
  readonly bot_id: number;
  readonly public_key: string;
  readonly intake: BotIntake;
  readonly payloads: PayloadState;
  readonly users: Map<number, UserChange>;
  /** Users that the batch erases. */
  readonly erased: Set<number>;
}

export interface UserChange {
  readonly bot_id: number;
  readonly user_id: number;
  readonly profile: Profile;
  /** The row of the table; null if the table has none. */
  readonly loaded: Profile | null;
  /** JSON text of the custom fields that the batch sets; numbers keep their digits. */
  readonly customFields: Map<string, string>;
  /** Whether the custom fields of the table are erased. */
  erased: boolean;
}

export function newBot(bot_id: number, public_key: string, separators: Separators, clock: number): Bot {
  return {
    bot_id,
    public_key,
    intake: botIntake(bot_id, clock),
    payloads: payloadState(separators),
    users: new Map(),
    erased: new Set(),
  };
}

export async function loadBots(tx: ClientBase, publicKeys: readonly string[]): Promise<Map<string, Bot>> {
  const columns = () => 'bot_id, public_key, pair_separator AS pair, value_separator AS value, clock::float8';
  const rows = await loadBotRows<BotRow>(tx, 'users.load_bots', columns, publicKeys);
  return new Map(
    rows.map(({ bot_id, public_key, pair, value, clock }) => [
      public_key,
      newBot(bot_id, public_key, { pair, value }, clock),
    ]),
  );
}

interface BotRow {
  readonly bot_id: number;
  readonly public_key: string;
  readonly pair: string;
  readonly value: string;
  readonly clock: number;
}

/** Records erased users, forever. */
export async function saveErased(tx: ClientBase, bots: readonly Bot[]): Promise<void> {
  const erased = bots.flatMap(({ bot_id, erased }) => [...erased].map((userId) => ({ bot_id, userId })));
  if (erased.length === 0) return;
  await tx.query({
    name: 'users.save_erased',
    text: 'INSERT INTO erased_users SELECT * FROM unnest($1::int[], $2::bigint[]) ON CONFLICT DO NOTHING',
    values: [numbers(erased.map(({ bot_id }) => bot_id)), numbers(erased.map(({ userId }) => userId))],
  });
}

export async function saveBots(tx: ClientBase, bots: readonly Bot[]): Promise<void> {
  await tx.query({
    name: 'users.save_bots',
    text: `INSERT INTO bots (bot_id, public_key, pair_separator, value_separator, clock)
           SELECT * FROM unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::bigint[])
           ON CONFLICT (bot_id) DO UPDATE SET pair_separator = EXCLUDED.pair_separator,
             value_separator = EXCLUDED.value_separator, clock = EXCLUDED.clock`,
    values: [
      bots.map(({ bot_id }) => bot_id),
      bots.map(({ public_key }) => public_key),
      bots.map(({ payloads }) => payloads.separators.pair),
      bots.map(({ payloads }) => payloads.separators.value),
      bots.map(({ intake }) => intake.clock),
    ],
  });
}

/** Adds the named users that the table has to `users` of their bots. */
export async function loadUsers(
  tx: ClientBase,
  wanted: readonly { readonly bot: Bot; readonly users: ReadonlySet<number> }[],
): Promise<void> {
  const asked = wanted.flatMap(({ bot, users }) => [...users].map((userId) => ({ bot, userId })));
  if (asked.length === 0) return;
  const ids = asked.map(({ bot }) => bot.bot_id);
  const only = onlyBot(tx, ids);
  const { rows } = await tx.query<Row>({
    name: nameOf('users.load', only),
    text: `SELECT n.i::int, u.first_name, u.last_name, u.full_name, u.username, u.language_code, u.is_premium, u.is_bot,
                  u.gender, u.timezone, u.user_status, u.date_create::float8, u.date_last_active::float8,
                  u.addition_fields, u.visit_date::float8, u.profile_date::float8, u.status_date::float8, u.import_date::float8, u.imported
             FROM unnest($1::int[], $2::bigint[]) WITH ORDINALITY AS n (bot_id, user_id, i)
             JOIN users u USING (bot_id, user_id) WHERE ${ofBot('u.bot_id', only)}`,
    values: [numbers(ids), numbers(asked.map(({ userId }) => userId))],
  });
  for (const { i, ...profile } of rows) {
    const { bot, userId } = asked[i - 1]!;
    bot.intake.knownUsers.add(userId);
    bot.users.set(userId, {
      bot_id: bot.bot_id,
      user_id: userId,
      profile,
      loaded: { ...profile },
      customFields: new Map(),
      erased: false,
    });
  }
}

type Row = Profile & { readonly i: number };

/** Writes users as of now. Custom fields are merged into the fields of the table. */
export async function saveUsers(tx: ClientBase, users: readonly UserChange[]): Promise<void> {
  const added: UserChange[] = [];
  const active: UserChange[] = [];
  const changed: UserChange[] = [];
  for (const user of users) (user.loaded === null ? added : isOnlyActive(user) ? active : changed).push(user);
  await addUsers(tx, added);
  await saveActivity(tx, active);
  await dropCustomFields(
    tx,
    changed.filter(({ erased }) => erased),
  );
  await saveAll(tx, changed);
}

const COLUMNS =
  'bot_id, user_id, first_name, last_name, full_name, username, language_code, is_premium, is_bot, gender, timezone, ' +
  'user_status, date_create, date_last_active, custom_fields, addition_fields, visit_date, profile_date, status_date, ' +
  'import_date, imported';

/** Adds users that the table does not have, by COPY: at a fifth of the cost of {@link saveAll}. */
async function addUsers(tx: ClientBase, users: readonly UserChange[]): Promise<void> {
  await copyInto(tx, 'users', COLUMNS, linesOf(users));
}

function* linesOf(users: readonly UserChange[]): Generator<string> {
  for (const { bot_id, user_id, profile: p, customFields } of users)
    yield copyLine([
      bot_id,
      user_id,
      p.first_name,
      p.last_name,
      p.full_name,
      p.username,
      p.language_code,
      p.is_premium,
      p.is_bot,
      p.gender,
      p.timezone,
      p.user_status,
      p.date_create,
      p.date_last_active,
      jsonOfFields(customFields),
      JSON.stringify(p.addition_fields),
      p.visit_date,
      p.profile_date,
      p.status_date,
      p.import_date,
      p.imported === null ? null : JSON.stringify(p.imported),
    ]);
}

/** Fields that most updates change. */
const ACTIVITY: ReadonlySet<keyof Profile> = new Set(['date_last_active', 'profile_date', 'status_date']);

/** Whether only the activity of the user has changed, as by most updates. */
function isOnlyActive({ profile, loaded, customFields, erased }: UserChange): boolean {
  if (loaded === null || customFields.size > 0 || erased) return false;
  for (const field of Object.keys(profile) as (keyof Profile)[])
    if (profile[field] !== loaded[field] && !ACTIVITY.has(field)) return false;
  return true;
}

async function saveActivity(tx: ClientBase, users: readonly UserChange[]): Promise<void> {
  if (users.length === 0) return;
  const ids = users.map(({ bot_id }) => bot_id);
  const only = onlyBot(tx, ids);
  await tx.query({
    name: nameOf('users.save_activity', only),
    text: `UPDATE users u SET date_last_active = n.date_last_active, profile_date = n.profile_date, status_date = n.status_date
             FROM unnest($1::int[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
                  AS n (bot_id, user_id, date_last_active, profile_date, status_date)
            WHERE u.bot_id = n.bot_id AND u.user_id = n.user_id AND ${ofBot('u.bot_id', only)}`,
    values: [
      numbers(ids),
      numbers(users.map(({ user_id }) => user_id)),
      numbers(users.map(({ profile }) => profile.date_last_active)),
      numbers(users.map(({ profile }) => profile.profile_date)),
      numbers(users.map(({ profile }) => profile.status_date)),
    ],
  });
}

async function dropCustomFields(tx: ClientBase, users: readonly UserChange[]): Promise<void> {
  if (users.length === 0) return;
  const ids = users.map(({ bot_id }) => bot_id);
  const only = onlyBot(tx, ids);
  await tx.query({
    name: nameOf('users.drop_custom_fields', only),
    text: `UPDATE users u SET custom_fields = '{}' FROM unnest($1::int[], $2::bigint[]) AS n (bot_id, user_id)
            WHERE u.bot_id = n.bot_id AND u.user_id = n.user_id AND ${ofBot('u.bot_id', only)}`,
    values: [numbers(ids), numbers(users.map(({ user_id }) => user_id))],
  });
}

/** Saves users with changes beyond their activity. */
async function saveAll(tx: ClientBase, users: readonly UserChange[]): Promise<void> {
  if (users.length === 0) return;
  await tx.query({
    name: 'users.save',
    text: `INSERT INTO users SELECT * FROM jsonb_populate_recordset(NULL::users, $1)
           ON CONFLICT (bot_id, user_id) DO UPDATE SET
             first_name = EXCLUDED.first_name, last_name = EXCLUDED.last_name, full_name = EXCLUDED.full_name,
             username = EXCLUDED.username, language_code = EXCLUDED.language_code,
             is_premium = EXCLUDED.is_premium, is_bot = EXCLUDED.is_bot, gender = EXCLUDED.gender,
             timezone = EXCLUDED.timezone, user_status = EXCLUDED.user_status,
             date_create = EXCLUDED.date_create, date_last_active = EXCLUDED.date_last_active,
             custom_fields = users.custom_fields || EXCLUDED.custom_fields,
             addition_fields = EXCLUDED.addition_fields, visit_date = EXCLUDED.visit_date,
             profile_date = EXCLUDED.profile_date, status_date = EXCLUDED.status_date, import_date = EXCLUDED.import_date, imported = EXCLUDED.imported`,
    values: [`[${users.map(jsonOf).join()}]`],
  });
}

function jsonOf({ bot_id, user_id, profile, customFields }: UserChange): string {
  const custom = jsonOfFields(customFields);
  return `${JSON.stringify({ bot_id, user_id, ...profile }).slice(0, -1)},"custom_fields":${custom}}`;
}

/** The values are JSON text already. */
function jsonOfFields(fields: UserChange['customFields']): string {
  return `{${[...fields].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`;
}

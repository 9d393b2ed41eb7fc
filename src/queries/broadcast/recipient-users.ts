import type pg from 'pg';
import { namedBot, ofBot } from '../../database/of-bot.ts';
import type { TemplateUser, TemplateValue } from '../../domain/broadcast/template.ts';
import { localTimeOf } from '../../domain/local-time.ts';

/** A recipient who is a user of the bot, or was erased. */
export interface RecipientUser {
  readonly status: 'active' | 'blocked' | 'deactivated' | 'erased';
  /** Fields for templates, by the names of the condition fields; empty unless they were requested. */
  readonly fields: TemplateUser;
}

export interface RecipientTables {
  readonly pool: pg.Pool;
  /** Schemas of the read models. */
  readonly users: string;
  readonly referral: string;
}

/** Recipients of one bot. */
export interface BotRecipients {
  readonly botId: number;
  /** The timezone of dates. */
  readonly timezone: string;
  readonly chats: readonly number[];
}

export type RecipientUsersSource = RecipientTables & Omit<BotRecipients, 'chats'>;

interface Row {
  /** Which of the requested recipients. */
  readonly i: number;
  readonly user_id: number;
  readonly erased: boolean;
  /** Null if the table of users has no such user: an erased user may be unknown. */
  readonly user_status: Exclude<RecipientUser['status'], 'erased'> | null;
  readonly date_create: number;
  readonly date_last_active: number | null;
  readonly addition_fields: Readonly<Record<string, string>>;
  readonly referrer_id: number | null;
  readonly referral_code: string | null;
  readonly [field: string]: TemplateValue;
}

/** Finds the chats that are users of the bot, or were erased after the audience was frozen. */
export async function recipientUsers(
  source: RecipientUsersSource,
  chats: readonly number[],
): Promise<ReadonlyMap<number, RecipientUser>> {
  return (await usersOfBots(source, [{ ...source, chats }], true))[0]!;
}

/**
 * Finds users of many bots by one statement: for each element, the users among its chats.
 * @param withFields false: finds only users that are not active, without fields. Most recipients are active, so this
 * saves a row for each
 */
export async function usersOfBots(
  { pool, users, referral }: RecipientTables,
  asked: readonly BotRecipients[],
  withFields: boolean,
): Promise<ReadonlyMap<number, RecipientUser>[]> {
  const found = asked.map(() => new Map<number, RecipientUser>());
  // Groups and channels are no users.
  const ids = asked.map(({ chats }) => chats.filter((chat) => chat > 0));
  if (ids.every(({ length }) => length === 0)) return found;
  const only = await namedBot(pool, asked[0]!.botId);
  if (only !== null && asked.length > 1)
    return (await Promise.all(asked.map((one) => usersOfBots({ pool, users, referral }, [one], withFields)))).flat();
  const joined = (table: string, alias: string): string =>
    `LEFT JOIN ${table} ${alias} ON ${alias}.bot_id = n.bot_id AND ${alias}.user_id = n.user_id AND ${ofBot(`${alias}.bot_id`, only)}`;
  const { rows } = await pool.query<Row>({
    name: only !== null ? undefined : `${users}.${referral}.recipient_${withFields ? 'fields' : 'statuses'}`,
    text: `SELECT n.i, n.user_id::float8, user_status, e.user_id IS NOT NULL AS erased${withFields ? FIELDS : ''}
             FROM unnest($1::int[], $2::int[], $3::bigint[]) AS n (i, bot_id, user_id)
             ${joined(`${users}.users`, 'u')}
             ${joined(`${users}.erased_users`, 'e')}
             ${withFields ? joined(`${referral}.referrals`, 'r') : ''}
            WHERE e.user_id IS NOT NULL OR ${withFields ? 'u.user_id IS NOT NULL' : "user_status <> 'active'"}`,
    values: [
      `{${ids.flatMap((of, i) => of.map(() => i)).join()}}`,
      `{${ids.flatMap((of, i) => of.map(() => asked[i]!.botId)).join()}}`,
      `{${ids.flat().join()}}`,
    ],
  });
  for (const row of rows) found[row.i]!.set(row.user_id, userOf(row, withFields, asked[row.i]!.timezone));
  return found;
}

const FIELDS = `, first_name, last_name, full_name, username, language_code, is_premium, is_bot, gender, timezone,
                  date_create::float8, date_last_active::float8, custom_fields, addition_fields,
                  r.referrer_id::float8, r.code AS referral_code`;

function userOf(row: Row, withFields: boolean, timezone: string): RecipientUser {
  const { erased, user_status: status } = row;
  if (erased || status === null) return { status: 'erased', fields: {} };
  return { status, fields: withFields ? fieldsOf(row, timezone) : {} };
}

function fieldsOf(row: Row, timezone: string): TemplateUser {
  const {
    i: _,
    erased: __,
    referrer_id,
    referral_code,
    addition_fields,
    date_create,
    date_last_active,
    ...fields
  } = row;
  return {
    ...fields,
    date_create: localTimeOf(date_create, timezone),
    date_last_active: date_last_active === null ? null : localTimeOf(date_last_active, timezone),
    addition_fields: { ...addition_fields, referrer_id, referral_code },
  };
}

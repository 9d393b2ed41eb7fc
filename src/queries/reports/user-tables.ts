import type pg from 'pg';
import { isoWithOffset } from '../../domain/local-time.ts';

export interface UserTable {
  readonly pool: pg.Pool;
  /** The schema of the read model `users`. */
  readonly users: string;
}

interface BotOfUsers {
  readonly bot_id: number;
  readonly timezone: string;
}

/** A user as reports show one. Null: not known, or erased. Dates are ISO 8601 with the offset of the bot's time zone. */
export interface ReportUser {
  readonly user_id: number;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly username: string | null;
  readonly language_code: string | null;
  readonly user_status: string | null;
  readonly date_create: string | null;
  readonly date_last_active: string | null;
}

interface Row extends Omit<ReportUser, 'date_create' | 'date_last_active'> {
  readonly date_create: number | null;
  readonly date_last_active: number | null;
}

/** The users with these ids, in the order of the ids. */
export async function findUsers(
  { pool, users }: UserTable,
  { bot_id, timezone }: BotOfUsers,
  ids: readonly number[],
): Promise<ReportUser[]> {
  if (ids.length === 0) return [];
  const { rows } = await pool.query<Row>({
    name: `${users}.report_users`,
    text: `SELECT id::float8 AS user_id, first_name, last_name, username, language_code, user_status,
                  date_create::float8, date_last_active::float8
             FROM unnest($2::bigint[]) WITH ORDINALITY AS given (id, place)
             LEFT JOIN ${users}.users AS u ON u.bot_id = $1 AND u.user_id = id ORDER BY place`,
    values: [bot_id, ids],
  });
  const shown = (date: number | null) => (date === null ? null : isoWithOffset(date, timezone));
  return rows.map((row) => {
    return { ...row, date_create: shown(row.date_create), date_last_active: shown(row.date_last_active) };
  });
}

/** The ids without erased users (decisions.md#erased-users). @param ids ascending */
export async function withoutErased(
  { pool, users }: UserTable,
  botId: number,
  ids: Float64Array,
): Promise<readonly number[]> {
  const { rows } = await pool.query<{ readonly user_id: number }>(
    `SELECT user_id::float8 FROM ${users}.erased_users WHERE bot_id = $1`,
    [botId],
  );
  const erased = new Set(rows.map(({ user_id }) => user_id));
  return [...ids].filter((id) => !erased.has(id));
}

/** Users whose custom fields are listed: as many as one statement reads in about 50 ms. */
const SAMPLED_USERS = 10_000;

/** The names of custom fields of the users who were created last, ascending. */
export async function customFields({ pool, users }: UserTable, botId: number): Promise<string[]> {
  const { rows } = await pool.query<{ readonly name: string }>({
    name: `${users}.custom_fields`,
    text: `SELECT DISTINCT jsonb_object_keys(custom_fields) COLLATE "C" AS name
             FROM (SELECT custom_fields FROM ${users}.users WHERE bot_id = $1
                    ORDER BY date_create DESC LIMIT ${SAMPLED_USERS}) AS latest ORDER BY name`,
    values: [botId],
  });
  return rows.map(({ name }) => name);
}

import { sql } from 'kysely';
import { isNotErased, isWithin, selected, selectList } from './columns.ts';
import type { ExportRows, ExportSource } from './export-source.ts';

const column = (name: string) => sql.ref(`u.${name}`);
const ofVisit = (name: string) => sql`u.addition_fields ->> ${sql.lit(name)}`;

const COLUMNS = [
  selected('user_id', 'integer', column('user_id')),
  ...['first_name', 'last_name', 'full_name', 'username', 'language_code', 'gender', 'timezone', 'user_status'].map(
    (name) => selected(name, 'text', column(name)),
  ),
  selected('is_premium', 'boolean', column('is_premium')),
  selected('is_bot', 'boolean', column('is_bot')),
  selected('date_create', 'date', column('date_create')),
  selected('date_last_active', 'date', column('date_last_active')),
  ...['start_param', 'utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'].map((name) =>
    selected(name, 'text', ofVisit(name)),
  ),
  selected('referrer_id', 'integer', sql`r.referrer_id`),
  selected('referral_code', 'text', sql`r.code`),
  selected('custom_fields', 'json', sql`nullif(u.custom_fields, '{}')`),
];

/** Users created within the period, by id. */
export function userRows({ pages, bot: { bot_id }, period, tables: { users, referral } }: ExportSource): ExportRows {
  return {
    columns: COLUMNS,
    pages: pages(sql`
      SELECT ${selectList(COLUMNS)} FROM ${sql.id(users, 'users')} AS u
        LEFT JOIN ${sql.id(referral, 'referrals')} AS r ON r.bot_id = u.bot_id AND r.user_id = u.user_id
       WHERE u.bot_id = ${bot_id} AND ${isWithin(column('date_create'), period)}
         AND ${isNotErased(users, bot_id, column('user_id'))}
       ORDER BY u.user_id`),
  };
}

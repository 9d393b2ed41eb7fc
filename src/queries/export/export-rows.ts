import { sql } from 'kysely';
import type pg from 'pg';
import { cursorRows } from '../../database/cursor-rows.ts';
import { statement } from '../../database/statement.ts';
import { stateSql } from '../broadcast/recipients.ts';
import { entriesFrom, entryColumns } from '../referral/entries.ts';
import { type ExportKind, isNotErased, isWithin, selected, selectList } from './columns.ts';
import { eventRows } from './export-events.ts';
import type { ExportRequest, ExportRows, ExportSource, ExportTables, ReadPages } from './export-source.ts';

/** The read models that each export reads. All leave out erased users; `users` lists them. */
export const TABLES_READ: Readonly<Record<ExportKind, readonly (keyof ExportTables)[]>> = {
  events: ['events', 'users'],
  users: ['users', 'referral'],
  accruals: ['accounts', 'referral', 'catalog', 'users'],
  recipients: ['recipients', 'users'],
};

const ROWS_OF: Readonly<Record<ExportKind, (source: ExportSource) => ExportRows>> = {
  events: eventRows,
  users: userRows,
  accruals: accrualRows,
  recipients: recipientRows,
};

/**
 * The rows of an export, in the snapshot of a transaction that the caller has begun. It needs the memory of one page.
 */
export function exportRows(kind: ExportKind, tx: pg.ClientBase, request: ExportRequest, pageRows: number): ExportRows {
  const pages: ReadPages = (select) => cursorRows(tx, statement(select), pageRows);
  return ROWS_OF[kind]({ ...request, tx, pages });
}

/** Every accrual whose date is in the period, by account in the order of its stream. */
function accrualRows({ pages, bot, period, tables }: ExportSource): ExportRows {
  const { accounts, catalog, referral, users } = tables;
  const entry = entryColumns({ accounts, referral, botId: String(bot.bot_id) });
  const integer = (name: keyof typeof entry) => selected(name, 'integer', sql.raw(entry[name]));
  const date = (name: keyof typeof entry) => selected(name, 'date', sql.raw(entry[name]));
  const columns = [
    integer('accrual_id'),
    selected('user_id', 'integer', sql`x.user_id`),
    integer('position'),
    date('date'),
    date('recorded_at'),
    date('available_at'),
    integer('referral_id'),
    integer('rule_id'),
    selected('rule_name', 'text', sql.raw(entry.rule_name)),
    selected('amount', 'decimal', sql.raw(entry.amount)),
    integer('unit_id'),
    selected(
      'unit',
      'text',
      sql`(SELECT n.code FROM ${sql.id(catalog, 'units')} AS n WHERE n.bot_id = ${bot.bot_id} AND n.unit_id = x.unit)`,
    ),
    integer('payout_id'),
    integer('compensates'),
    integer('compensated_by'),
    date('reversed_at'),
    selected('reason', 'text', sql.raw(entry.reason)),
  ];
  return {
    columns,
    // Materialized: on a cluster users may be on another node than accounts.
    pages: pages(sql`
      WITH erased AS MATERIALIZED (
        SELECT user_id FROM ${sql.id(users, 'erased_users')} WHERE bot_id = ${bot.bot_id})
      SELECT ${selectList(columns)} FROM ${sql.raw(entriesFrom(accounts))}
       WHERE x.public_key = ${bot.public_key} AND ${isWithin(sql`x.date`, period)}
         AND x.user_id NOT IN (SELECT user_id FROM erased)
       ORDER BY x.user_id, x.place`),
  };
}

/** The time of the outcome; of a recipient that was cancelled, the time of the cancellation. */
const DATE = sql`CASE WHEN r.date IS NOT NULL THEN r.date WHEN s.cancelled THEN s.cancelled_at END`;

const COLUMNS = [
  selected('broadcast_id', 'integer', sql`s.broadcast_id`),
  selected('chat_id', 'integer', sql`r.chat_id`),
  selected('state', 'text', sql.raw(stateSql('r.state', 's.cancelled'))),
  selected('reason', 'text', sql`r.reason`),
  selected('date', 'date', DATE),
];

/** Recipients of the bot's broadcasts with an outcome in the period, by broadcast and chat. Without a period, all. */
function recipientRows({ pages, bot, period, tables: { recipients, users } }: ExportSource): ExportRows {
  return {
    columns: COLUMNS,
    pages: pages(sql`
      SELECT ${selectList(COLUMNS)} FROM ${sql.id(recipients, 'sendings')} AS s
        JOIN ${sql.id(recipients, 'recipients')} AS r ON r.broadcast_id = s.broadcast_id AND r.bot_id = ${bot.bot_id}
       WHERE s.bot_id = ${bot.bot_id} AND ${isWithin(sql`(${DATE})`, period)}
         AND ${isNotErased(users, bot.bot_id, sql`r.chat_id`)}
       ORDER BY s.broadcast_id, r.place`),
  };
}

const column = (name: string) => sql.ref(`u.${name}`);
const ofVisit = (name: string) => sql`u.addition_fields ->> ${sql.lit(name)}`;

const USER_COLUMNS = [
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
function userRows({ pages, bot: { bot_id }, period, tables: { users, referral } }: ExportSource): ExportRows {
  return {
    columns: USER_COLUMNS,
    pages: pages(sql`
      SELECT ${selectList(USER_COLUMNS)} FROM ${sql.id(users, 'users')} AS u
        LEFT JOIN ${sql.id(referral, 'referrals')} AS r ON r.bot_id = u.bot_id AND r.user_id = u.user_id
       WHERE u.bot_id = ${bot_id} AND ${isWithin(column('date_create'), period)}
         AND ${isNotErased(users, bot_id, column('user_id'))}
       ORDER BY u.user_id`),
  };
}

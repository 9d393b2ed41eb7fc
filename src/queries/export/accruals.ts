import { sql } from 'kysely';
import { entriesFrom, entryColumns } from '../referral/entries.ts';
import { isWithin, selected, selectList } from './columns.ts';
import type { ExportRows, ExportSource } from './export-source.ts';

/** Every accrual whose date is in the period, by account in the order of its stream. */
export function accrualRows({ pages, bot, period, tables }: ExportSource): ExportRows {
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
    // Materialized: on a Citus cluster users may be on another node than accounts.
    pages: pages(sql`
      WITH erased AS MATERIALIZED (
        SELECT user_id FROM ${sql.id(users, 'erased_users')} WHERE bot_id = ${bot.bot_id})
      SELECT ${selectList(columns)} FROM ${sql.raw(entriesFrom(accounts))}
       WHERE x.public_key = ${bot.public_key} AND ${isWithin(sql`x.date`, period)}
         AND x.user_id NOT IN (SELECT user_id FROM erased)
       ORDER BY x.user_id, x.place`),
  };
}

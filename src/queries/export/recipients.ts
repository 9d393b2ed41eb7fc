import { sql } from 'kysely';
import { stateSql } from '../broadcast/recipients.ts';
import { isNotErased, isWithin, selected, selectList } from './columns.ts';
import type { ExportRows, ExportSource } from './export-source.ts';

/** The time of the outcome; of a recipient that was cancelled, the time of the cancellation. */
const DATE = sql`CASE WHEN r.date IS NOT NULL THEN r.date WHEN s.cancelled THEN s.cancelled_at END`;

const COLUMNS = [
  selected('broadcast_id', 'integer', sql`s.broadcast_id`),
  selected('chat_id', 'integer', sql`r.chat_id`),
  selected('state', 'text', sql.raw(stateSql('r.state', 's.cancelled'))),
  selected('reason', 'text', sql`r.reason`),
  selected('date', 'date', DATE),
];

/** Recipients of the bot's broadcasts whose outcome is of the period, by broadcast and chat. Without a period, all. */
export function recipientRows({ pages, bot, period, tables: { recipients, users } }: ExportSource): ExportRows {
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

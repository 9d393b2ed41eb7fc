import { type RawBuilder, sql } from 'kysely';
import { statement } from '../../database/statement.ts';
import {
  ARCHIVED_COLUMNS,
  archivedFrom,
  EVENT_COLUMNS,
  isNotReplaced,
} from '../../projections/events/packed/archived-rows.ts';
import { isNotErased, isWithin, selected, selectList, type TextRow } from './columns.ts';
import type { ExportRows, ExportSource } from './export-source.ts';
import { sessionNames } from './session-names.ts';

const column = (name: string) => sql.ref(`e.${name}`);

/** Sessions are read as numbers, and named by their first event (session-names.ts). */
const COLUMNS = [
  selected('id', 'text', sql`e.commit_id || '.' || e.idx`),
  selected('date', 'date', column('date')),
  selected('date_received', 'date', column('date_received')),
  selected('user_id', 'integer', column('user_id')),
  selected('event_type_id', 'integer', column('event_id')),
  selected('event_name', 'text', sql`k.name`),
  selected('value_int', 'decimal', column('value_int')),
  selected('value_amount', 'decimal', column('value_amount')),
  selected('unit', 'text', column('unit')),
  selected('value_str', 'text', column('value_str')),
  selected('category', 'text', column('category')),
  selected('webapp_name', 'text', column('webapp_name')),
  selected('session_id', 'text', column('session')),
  selected('app_session_id', 'text', column('app_session')),
  ...['source', 'medium', 'campaign', 'term', 'content'].map((part) =>
    selected(`utm_${part}`, 'text', sql.ref(`t.${part}`)),
  ),
  selected('event_key', 'text', column('event_key')),
  selected('properties', 'json', column('properties')),
];

/** Events of the period by date, and of one date in the order of the log. */
export function eventRows(source: ExportSource): ExportRows {
  return { columns: COLUMNS, pages: eventPages(source) };
}

async function* eventPages(source: ExportSource): AsyncGenerator<readonly TextRow[]> {
  const { pages, tables, tx, bot } = source;
  const name = sessionNames(COLUMNS, { tx, tables, botId: bot.bot_id });
  for (const part of await partsOf(source))
    for await (const page of pages(partSql(source, part))) yield await name(page);
}

/** A part of the period, with the archived chunks that have events of it. */
interface Part {
  readonly from: number | null;
  readonly to: number | null;
  readonly chunks: readonly string[];
}

interface Chunk {
  readonly chunk: string;
  /** Dates of its first and last event. */
  readonly first: number;
  readonly last: number;
}

/**
 * Divides the period at the ends of archived chunks. So no query sorts more archived events than one chunk or one date
 * has. Other events come from an index in its order.
 */
async function partsOf({ tx, tables, bot, period }: ExportSource): Promise<Part[]> {
  const { text, values } = statement(sql`
    SELECT chunk, first_date::float8 AS first, last_date::float8 AS last FROM ${sql.id(tables.events, 'archive')}
     WHERE bot_id = ${bot.bot_id} AND ${period.from === null ? sql`true` : sql`last_date >= ${period.from}::bigint`}
       AND ${period.to === null ? sql`true` : sql`first_date < ${period.to}::bigint`}
     ORDER BY last_date, last_ord`);
  const { rows: chunks } = await tx.query<Chunk>(text, [...values]);
  const parts: Part[] = [];
  let { from } = period;
  for (const end of new Set(chunks.map(({ last }) => last + 1))) {
    const to = period.to === null ? end : Math.min(end, period.to);
    parts.push({ from, to, chunks: withEventsIn(chunks, from, to) });
    from = to;
    if (to === period.to) return parts;
  }
  return [...parts, { from, to: period.to, chunks: [] }];
}

/** @param chunks by their last dates; they do not overlap, but the last date of one may be the first of the next */
function withEventsIn(chunks: readonly Chunk[], from: number | null, to: number): string[] {
  const found: string[] = [];
  for (let at = from === null ? 0 : firstEndingAt(chunks, from); at < chunks.length; at++) {
    const { chunk, first } = chunks[at]!;
    if (first >= to) break;
    found.push(chunk);
  }
  return found;
}

/** The index of the first chunk whose last date is not before `date`. */
function firstEndingAt(chunks: readonly Chunk[], date: number): number {
  let [low, high] = [0, chunks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (chunks[middle]!.last < date) low = middle + 1;
    else high = middle;
  }
  return low;
}

function partSql({ tables, bot: { bot_id } }: ExportSource, part: Part): RawBuilder<unknown> {
  const { events, users } = tables;
  const table = sql.id(events, 'events');
  const from =
    part.chunks.length === 0
      ? table
      : sql`(SELECT ${sql.raw(EVENT_COLUMNS)} FROM ${table}
              WHERE bot_id = ${bot_id} AND ${isWithin(sql`date`, part)}
             UNION ALL
             SELECT ${sql.raw(ARCHIVED_COLUMNS)} FROM ${sql.raw(archivedFrom(`${events}.archive`))}
              WHERE a.bot_id = ${bot_id} AND a.chunk = ANY (${part.chunks}::uuid[])
                AND ${isWithin(sql`r.date`, part)} AND ${sql.raw(isNotReplaced(`${events}.events`))})`;
  return sql`
    SELECT ${selectList(COLUMNS)}, e.ord FROM ${from} AS e
      LEFT JOIN ${sql.id(events, 'utms')} AS t ON t.bot_id = e.bot_id AND t.utm_id = e.utm_id
      LEFT JOIN ${sql.id(events, 'event_types')} AS k ON k.bot_id = e.bot_id AND k.event_id = e.event_id
     WHERE e.bot_id = ${bot_id} AND ${isWithin(sql`e.date`, part)} AND ${isNotErased(users, bot_id, column('user_id'))}
     ORDER BY e.date, e.ord`;
}

import { type RawBuilder, sql } from 'kysely';
import type { ListReport } from '../../domain/reports/report.ts';
import {
  ARCHIVED_COLUMNS,
  archivedFrom,
  EVENT_COLUMNS,
  isNotReplaced,
} from '../../projections/events/packed/archived-rows.ts';
import type { ReportTables } from './fields.ts';
import type { SavedSegmentMembers } from './saved-segment-members.ts';
import type { Query } from './snapshot.ts';
import type { Span } from './stored-events.ts';

/** The events that a list is selected from. */
export interface ListSource {
  readonly botId: number;
  readonly tables: ReportTables;
  /** Their dates. */
  readonly span: Span;
  /** Whether archived events are among them. */
  readonly isArchived: boolean;
  readonly members: SavedSegmentMembers;
}

/** SQL: rows like those of the table `events`, of the bot and the span, from this table and the archive. */
export function eventsWithArchived({
  botId,
  tables: { events },
  span: { from, to },
}: Omit<ListSource, 'members'>): RawBuilder<unknown> {
  return sql.raw(`(
    SELECT ${EVENT_COLUMNS} FROM ${events}.events WHERE bot_id = ${botId} AND date >= ${from} AND date < ${to}
    UNION ALL
    SELECT ${ARCHIVED_COLUMNS} FROM ${archivedFrom(`${events}.archive`)}
     WHERE a.bot_id = ${botId} AND a.last_date >= ${from} AND a.first_date < ${to}
       AND r.date >= ${from} AND r.date < ${to} AND ${isNotReplaced(`${events}.events`)})`);
}

export interface ListOptions extends Pick<ListSource, 'botId' | 'tables' | 'members'> {
  readonly query: Query;
  /** Whether a source has so many matching events. */
  readonly hasMatching: (source: ListSource, count: number) => Promise<boolean>;
}

/**
 * Finds the source of a list's rows. A list in the order of dates reads archived chunks from its beginning on until there are
 * enough rows, each time as many as before and three times as many more. Any other order reads all of the period.
 */
export async function listSource(
  { period, order, limit, offset }: ListReport,
  { query, hasMatching, ...of }: ListOptions,
): Promise<ListSource> {
  const source = (span: Span, isArchived: boolean): ListSource => ({ ...of, span, isArchived });
  const chunks = await query(sql<Chunk>`
    SELECT first_date::float8 AS first, last_date::float8 AS last FROM ${sql.id(of.tables.events, 'archive')}
     WHERE bot_id = ${of.botId} AND last_date >= ${period.from}::bigint AND first_date < ${period.to}::bigint
     ORDER BY last_date, last_ord`);
  const all = source(period, chunks.length > 0);
  if (chunks.length === 0 || order[0]?.field.name !== 'events.date') return all;
  const isDescending = order[0].direction === 'desc';
  if (isDescending) chunks.reverse();
  for (let taken = 0; taken < chunks.length; taken = Math.max(1, 4 * taken)) {
    const part = source(withoutChunks(period, chunks, taken, isDescending), taken > 0);
    if (part.span.from < part.span.to && (await hasMatching(part, offset + limit))) return part;
  }
  return all;
}

/** Dates of the first and the last event. */
interface Chunk {
  readonly first: number;
  readonly last: number;
}

/** The part of the period that begins where the list begins, and ends with so many of the chunks. */
function withoutChunks({ from, to }: Span, chunks: readonly Chunk[], taken: number, isDescending: boolean): Span {
  if (isDescending) {
    const end = taken === 0 ? chunks[0]!.last + 1 : chunks[taken - 1]!.first;
    return { from: Math.max(from, end), to };
  }
  const end = taken === 0 ? chunks[0]!.first : chunks[taken - 1]!.last + 1;
  return { from, to: Math.min(to, end) };
}

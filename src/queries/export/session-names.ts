import { sql } from 'kysely';
import type pg from 'pg';
import { statement } from '../../database/statement.ts';
import { reportFields } from '../../domain/reports/fields.ts';
import { columnSql } from '../reports/field-sql.ts';
import type { ExportColumn, TextRow } from './columns.ts';
import type { ExportTables } from './export-source.ts';

/** A session ends when more than this time passes without an event (decisions.md#sessions). */
const SESSION_GAP_MS = 30 * 60 * 1000;

interface Options {
  readonly tx: pg.ClientBase;
  readonly tables: ExportTables;
  readonly botId: number;
}

/**
 * Names the sessions in pages of events. The pages come in the order of the events' dates: a row has the number of the
 * first event of its session, and gets that event's id. The name of a session is kept while further events of it may
 * follow. Only sessions that began before the first page are looked up: the look-up reads the events of a user. Doing
 * that for each event would take too long. The last column of a page is the event's number. The result leaves it out.
 */
export function sessionNames(
  columns: readonly ExportColumn[],
  { tx, tables, botId }: Options,
): (page: readonly TextRow[]) => Promise<TextRow[]> {
  const [id, date, userId, session, appSession] = ['id', 'date', 'user_id', 'session_id', 'app_session_id'].map(
    (name) => columns.findIndex((column) => column.name === name),
  ) as [number, number, number, number, number];
  const ord = columns.length;
  /** The sessions by their numbers, the session of the latest event last. */
  const names = new Map<string, { readonly name: string; readonly date: number }>();

  async function lookUp(page: readonly TextRow[]): Promise<void> {
    const unknown = new Map<string, TextRow>();
    for (const row of page)
      for (const number of [row[session], row[appSession]])
        if (typeof number === 'string' && !names.has(number) && !unknown.has(number)) unknown.set(number, row);
    if (unknown.size === 0) return;
    const rows = [...unknown.values()];
    const name = columnSql(reportFields.find('events.session_id')!, tables);
    const { text, values } = statement(sql`
      SELECT e.session::text AS number, ${name} AS name
        FROM (SELECT ${botId}::int AS bot_id, v.*
                FROM unnest(${rows.map((row) => row[userId])}::bigint[], ${rows.map((row) => row[date])}::bigint[],
                            ${[...unknown.keys()]}::bigint[]) AS v (user_id, date, session)) AS e`);
    const found = await tx.query<{ readonly number: string; readonly name: string }>(text, [...values]);
    for (const { number, name } of found.rows) names.set(number, { name, date: Number(unknown.get(number)![date]) });
  }

  function nameOf(number: string, at: number): string {
    const { name } = names.get(number)!;
    names.delete(number);
    names.set(number, { name, date: at });
    return name;
  }

  return async (page) => {
    for (const row of page)
      if (row[session] === row[ord] || row[appSession] === row[ord])
        names.set(row[ord]!, { name: row[id]!, date: Number(row[date]) });
    await lookUp(page);
    const named = page.map((row) => {
      const cells = row.slice(0, ord);
      const at = Number(row[date]);
      for (const column of [session, appSession])
        if (typeof cells[column] === 'string') cells[column] = nameOf(cells[column], at);
      return cells;
    });
    const end = Number(page.at(-1)![date]) - SESSION_GAP_MS;
    for (const [number, { date }] of names) {
      if (date >= end) break;
      names.delete(number);
    }
    return named;
  };
}

import fc from 'fast-check';
import { sql } from 'kysely';
import type { ClientBase } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statement } from '../../src/database/statement.ts';
import { reportFields } from '../../src/domain/reports/fields.ts';
import { allEvents } from '../../src/projections/events/packed/archived-rows.ts';
import { eventsReadModel, withArchive } from '../../src/projections/events/read-model.ts';
import type { ExportPeriod, TextRow } from '../../src/queries/export/columns.ts';
import { exportRows } from '../../src/queries/export/export-rows.ts';
import { columnSql } from '../../src/queries/reports/field-sql.ts';
import { cut, DAY, EPOCH, interleaved, MINUTE, partitionsOf, type Step, step } from '../support/intake-logs.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { firstSchema } from '../support/read-model-tables.ts';
import { createTestProjection, type TestProjection } from '../support/test-projection.ts';

/** Archives chunks of three events as soon as they are a month old. */
const model = withArchive(eventsReadModel, 1, { chunk: 3, newest: 1, changed: 4, share: 1000, changedInChunk: 2 });
const BOT = { bot_id: 1, public_key: 'a' };
const ERASED = 4;
const tables = {
  catalog: 'none',
  events: firstSchema(model),
  users: 'of_users',
  referral: 'none',
  accounts: 'none',
  recipients: 'none',
};

let projection: TestProjection;

beforeAll(async () => {
  projection = await createTestProjection(model);
});
afterAll(() => projection.drop());

async function exported(tx: ClientBase, period: ExportPeriod, pageRows: number) {
  const { columns, pages } = exportRows('events', tx, { tables, bot: BOT, period }, pageRows);
  const rows: TextRow[] = [];
  for await (const page of pages) {
    expect(page.length).toBeLessThanOrEqual(pageRows);
    rows.push(...page);
  }
  return { names: columns.map(({ name }) => name), rows };
}

/** The rows of one SELECT over all events, with the columns of lists. */
async function plainRows(tx: ClientBase, names: readonly string[], { from, to }: ExportPeriod): Promise<TextRow[]> {
  const columns = names.map((name) => {
    if (name === 'id') return sql`e.commit_id || '.' || e.idx`;
    if (name === 'event_name') return sql`k.name`;
    if (name === 'event_key' || name === 'properties') return sql.ref(`e.${name}`);
    const column = columnSql(reportFields.find(`events.${name}`)!, tables);
    return name.startsWith('value_') && name !== 'value_str' ? sql`trim_scale(${column})` : column;
  });
  const { text, values } = statement(sql`
    SELECT ${sql.join(columns.map((column, index) => sql`(${column})::text AS ${sql.id(`c${index}`)}`))}
      FROM ${sql.raw(allEvents(tables.events))} AS e
      LEFT JOIN utms AS t ON t.bot_id = e.bot_id AND t.utm_id = e.utm_id
      JOIN event_types AS k ON k.bot_id = e.bot_id AND k.event_id = e.event_id
     WHERE e.bot_id = ${BOT.bot_id} AND e.user_id <> ${ERASED}
       AND e.date >= ${from ?? Number.MIN_SAFE_INTEGER} AND e.date < ${to ?? Number.MAX_SAFE_INTEGER}
     ORDER BY e.date, e.ord`);
  const { rows } = await tx.query<Record<string, string>>(text, [...values]);
  return rows.map((row) => names.map((_, index) => row[`c${index}`] ?? null));
}

describe('an export of events', () => {
  it('has each event of the period once, archived or not, in the order of dates, with the values that lists show', async () => {
    const seen = { rows: 0, archived: 0, cutSessions: 0 };
    const pauses = (['a', 'b'] as const).map((key): Step => {
      const data = { items: [{ event_id: 101, user_id: 1 }] };
      return {
        partition: `bot-${key}`,
        stream: `intake-${key}`,
        wait: 40 * DAY,
        event: { type: 'custom_events_received', data },
      };
    });
    /** Sessions of hours, which begin before most periods. */
    const long: Step[] = [
      { type: 'users_imported' as const, data: { items: [{ user_id: 2 }, { user_id: 3 }] } },
      {
        type: 'custom_events_received' as const,
        data: {
          items: Array.from({ length: 20 }, (_, i) => ({
            event_id: 101,
            user_id: 2 + (i % 2),
            date: EPOCH + i * 14 * MINUTE,
            webapp_name: 'app',
          })),
        },
      },
    ].map((event) => ({ partition: 'bot-a', stream: 'intake-a', wait: 0, event }));
    const some = fc.array(step, { minLength: 8, maxLength: 25, size: 'max' });
    const log = fc
      .tuple(some, some, some)
      .map(([first, second, third]) => [...long, ...first, ...pauses, ...second, ...pauses, ...third]);
    const bound = fc.option(fc.integer({ min: 0, max: 31 }).map((steps) => EPOCH + steps * 15 * MINUTE));
    const bounds = fc.tuple(bound, bound, fc.integer({ min: 1, max: 5 }));
    const picks = fc.array(fc.nat(9), { minLength: 1, maxLength: 60, size: 'max' });
    const sizes = fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        log,
        picks,
        sizes,
        fc.array(bounds, { minLength: 3, maxLength: 3 }),
        async (steps, picks, sizes, asked) => {
          await projection.project(
            cut(interleaved(partitionsOf(steps), picks), sizes),
            async (tx) => {
              await tx.query(`CREATE SCHEMA of_users; CREATE TABLE of_users.erased_users (bot_id int, user_id bigint);
              INSERT INTO of_users.erased_users VALUES (1, ${ERASED}), (2, 1)`);
              seen.archived += (await tx.query('SELECT FROM archive')).rowCount!;
              for (const [from, to, pageRows] of [[null, null, 2] as const, ...asked]) {
                const { names, rows } = await exported(tx, { from, to }, pageRows);
                expect(rows).toEqual(await plainRows(tx, names, { from, to }));
                seen.rows += rows.length;
                const ids = new Set(rows.map(([id]) => id));
                const session = names.indexOf('session_id');
                seen.cutSessions += rows.filter((row) => !ids.has(row[session]!)).length;
              }
            },
            async (tx) => {
              while (await model.idle!(tx, false));
            },
          );
        },
      ),
      { numRuns: propertyRuns(40) },
    );
    expect(seen.archived).toBeGreaterThan(100);
    expect(seen.cutSessions).toBeGreaterThan(100);
    expect(seen.rows).toBeGreaterThan(2000);
  });
});

import fc from 'fast-check';
import type { ClientBase } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LedgerEvent } from '../../../src/domain/ledger-events.ts';
import {
  ARCHIVED_COLUMNS,
  allEvents,
  archivedFrom,
  EVENT_COLUMNS,
} from '../../../src/projections/events/packed/archived-rows.ts';
import { eventsReadModel, withArchive } from '../../../src/projections/events/read-model.ts';
import type { ReadCommit } from '../../../src/projections/read-model.ts';
import { deferredPlainly } from '../../support/deferred-plainly.ts';
import { eventsSnapshot, sorted } from '../../support/events-snapshot.ts';
import { type EventsSnapshot, foldIntake } from '../../support/intake-fold.ts';
import {
  cut,
  DAY,
  EPOCH,
  interleaved,
  MINUTE,
  partitionsOf,
  type Step,
  step,
  user_id,
} from '../../support/intake-logs.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { firstSchema } from '../../support/read-model-tables.ts';
import { createTestProjection, type TestProjection } from '../../support/test-projection.ts';

/** Archives chunks of three events as soon as they are a month old. */
const model = withArchive(eventsReadModel, 1, { chunk: 3, newest: 1, changed: 4, share: 1000, changedInChunk: 2 });

let projection: TestProjection;

beforeAll(async () => {
  projection = await createTestProjection(model);
});
afterAll(() => projection.drop());

/** The number of these things that all runs have seen. */
const seen = { archived: 0, left: 0, restored: 0, inexact: 0 };
const SCHEMA = firstSchema(model);

interface Plan {
  readonly batches: readonly (readonly ReadCommit[])[];
  /** How many slices of deferred work follow each batch, cyclically. */
  readonly slices: readonly number[];
}

async function project({ batches, slices }: Plan): Promise<EventsSnapshot> {
  let batch = 0;
  return projection.project(
    batches,
    async (tx) => {
      await checkInvariants(tx);
      return eventsSnapshot(tx);
    },
    async (tx) => {
      if ((await tx.query('SELECT FROM revaluations LIMIT 1')).rowCount !== 0) await checkDeferred(tx);
      for (let left = slices[batch++ % slices.length]!; left > 0 && (await model.idle!(tx, false)); left--);
      await checkInvariants(tx);
    },
  );
}

/** The rows of the tables, which a Citus cluster then joins in any way. */
const ROWS = `WITH ${['events', 'archive', 'chunks', 'changed_events', 'timelines'].map((table) => `${table} AS MATERIALIZED (SELECT * FROM ${table})`).join()}`;

async function checkInvariants(tx: ClientBase): Promise<void> {
  const { rows } = await tx.query(`
    ${ROWS}, archived AS MATERIALIZED (SELECT a.chunk, ${ARCHIVED_COLUMNS} FROM ${archivedFrom()}),
         rows AS MATERIALIZED (
           SELECT e.*, (SELECT c.id FROM chunks c
                         WHERE c.bot_id = e.bot_id AND (c.last_date, c.last_ord) >= (e.date, e.ord)
                         ORDER BY c.last_date, c.last_ord LIMIT 1) AS chunk FROM events e),
         changed AS MATERIALIZED (
           SELECT e.* FROM rows e JOIN changed_events n USING (bot_id, chunk, user_id, date, ord))
    SELECT (SELECT count(*) FROM archived a
             WHERE NOT EXISTS (SELECT FROM rows e
                                WHERE e.bot_id = a.bot_id AND e.user_id = a.user_id AND (e.date, e.ord) >= (a.date, a.ord)))::int AS last_events_left,
           (SELECT count(*) FROM (SELECT chunk, ${EVENT_COLUMNS} FROM rows WHERE chunk IN (SELECT chunk FROM archive)
                                  EXCEPT SELECT chunk, ${EVENT_COLUMNS} FROM changed
                                  EXCEPT SELECT chunk, ${EVENT_COLUMNS} FROM archived) x)::int AS not_archived,
           (SELECT count(*) FROM chunks c JOIN timelines t USING (bot_id) LEFT JOIN archive a ON a.chunk = c.id
             WHERE c.archived <> (a.chunk IS NOT NULL) OR c.archived AND t.archived_until < c.last_date
                OR cardinality(a.user_id) <> c.events OR c.events <> cardinality(a.ord))::int AS wrong_chunks`);
  expect(rows).toEqual([{ last_events_left: 0, not_archived: 0, wrong_chunks: 0 }]);
  const counts = await tx.query<Record<'archived' | 'left' | 'restored', number>>(`
    ${ROWS} SELECT (SELECT count(*) FROM ${archivedFrom()})::int AS archived,
           (SELECT count(*) FROM ${archivedFrom()} JOIN changed_events n
                ON n.chunk = a.chunk AND n.user_id = r.user_id AND n.date = r.date AND n.ord = r.ord)::int AS restored,
           (SELECT count(*) FROM ${archivedFrom()} WHERE NOT EXISTS (
              SELECT FROM events e WHERE e.bot_id = a.bot_id AND e.user_id = r.user_id AND e.date = r.date AND e.ord = r.ord))::int AS left`);
  for (const [name, count] of Object.entries(counts.rows[0]!)) seen[name as keyof typeof seen] += count;
}

/** The count of events that wait for revaluation: archived ones are left out, so it is a lower bound if some may wait. */
async function checkDeferred(tx: ClientBase): Promise<void> {
  const { rows } = await tx.query<{ events: number; exact: boolean }>(`
    SELECT d.events::int, d.exact FROM deferred_events() d`);
  const counted = await tx.query<{ events: string }>(deferredPlainly(allEvents(SCHEMA)));
  const { events, exact } = rows[0]!;
  const plainly = Number(counted.rows[0]!.events);
  if (exact) expect(events).toBe(plainly);
  else {
    expect(events).toBeLessThanOrEqual(plainly);
    seen.inexact++;
  }
}

const of = (stream: string, event: LedgerEvent, wait = 0): Step => ({ partition: 'bot-a', stream, wait, event });
function clicks(wait: number, ...dates: number[]): Step {
  const items = dates.map((date) => ({ event_id: 101, user_id: 42, date, value: '5', unit: 'EUR' }));
  return of('intake-a', { type: 'custom_events_received', data: { items } }, wait);
}

describe('the read model `events` with archived events', () => {
  it('holds what a plain fold of the log gives, for every interleaving, cut into batches, and slices between them', async () => {
    /** Time passes for both bots, so that what was there before is archived. */
    const pause = fc.record({ user_id, days: fc.constantFrom(2, 40, 40) }).map(({ user_id, days }) =>
      (['a', 'b'] as const).map((key): Step => {
        const data = { items: [{ event_id: 101, user_id }] };
        const event = { type: 'custom_events_received' as const, data };
        return { partition: `bot-${key}`, stream: `intake-${key}`, wait: days * DAY, event };
      }),
    );
    const money = step.filter(({ partition }) => !partition.startsWith('bot-'));
    const anyStep = fc.oneof({ weight: 4, arbitrary: step }, { weight: 1, arbitrary: money });
    const some = fc.array(anyStep, { minLength: 8, maxLength: 25, size: 'max' });
    const log = fc.tuple(some, pause, some, pause, some).map((parts) => parts.flat());
    const picks = fc.array(fc.nat(9), { minLength: 1, maxLength: 60, size: 'max' });
    const sizes = fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 5 });
    const slices = fc.array(fc.constantFrom(0, 1, 2, 5, 100), { minLength: 1, maxLength: 8, size: 'max' });
    await fc.assert(
      fc.asyncProperty(log, picks, sizes, slices, async (steps, picks, sizes, slices) => {
        const partitions = partitionsOf(steps);
        const expected = sorted(foldIntake([...partitions.values()].flat()));
        expect(sorted(await project({ batches: cut(interleaved(partitions, picks), sizes), slices }))).toEqual(
          expected,
        );
      }),
      { numRuns: propertyRuns(50) },
    );
    const least = { archived: 500, left: 500, restored: 30, inexact: 3 };
    for (const [name, count] of Object.entries(seen))
      expect(count, name).toBeGreaterThan(least[name as keyof typeof least]);
  });

  it('joins an archived session of days to an earlier one, to its end', async () => {
    const long = Array.from({ length: 100 }, (_, i) => EPOCH + (40 + 20 * i) * MINUTE);
    const known = of('intake-a', { type: 'users_imported', data: { items: [{ user_id: 42 }] } });
    const steps = [
      known,
      clicks(0, EPOCH, ...long),
      clicks(40 * DAY, ...[0, 1, 2].map((i) => EPOCH + 40 * DAY + i)),
      clicks(0, EPOCH + 20 * MINUTE),
    ];
    const batches = [...partitionsOf(steps).values()].flat().map((commit) => [commit]);
    const before = seen.left;
    expect(sorted(await project({ batches, slices: [1000] }))).toEqual(sorted(foldIntake(batches.flat())));
    expect(seen.left - before, 'archived events').toBeGreaterThan(90);
  });

  it('writes the error of a refused reward whose event is archived', async () => {
    const rule = { rule_id: 7, name: 'Orders', trigger_event_id: 101, reward_type: 'fixed', amount: '1' } as const;
    const made = { ...rule, percent: null, unit_id: null, hold_days: '0', active: true };
    const steps = [
      of('intake-a', { type: 'users_imported', data: { items: [{ user_id: 42 }] } }),
      of('program-a', { type: 'reward_rule_created', data: made }),
      clicks(0, EPOCH, EPOCH + 1, EPOCH + 2, EPOCH + 3),
      clicks(40 * DAY, EPOCH + 40 * DAY),
    ];
    const before = partitionsOf(steps);
    const { id, at } = before.get('bot-a')!.at(-2)!;
    const event = { commit_id: id, index: 1, event_id: 101, date: EPOCH + 1, received: at };
    const data = { rule_id: 7, referral_id: 42, event, reason: 'no_rate' as const, at };
    const [refused] = partitionsOf([...steps, of('account-a/9', { type: 'reward_refused', data })])
      .get('bot-a')!
      .slice(-1);
    const errors = await projection.project(
      [[...before.values()].flat(), [refused!]],
      async (tx) =>
        (await tx.query(`SELECT message, payload->'user_id' AS user_id FROM bot_errors WHERE message LIKE 'Rule%'`))
          .rows,
      async (tx) => {
        while (await model.idle!(tx, false));
        expect((await tx.query('SELECT FROM events WHERE date = $1', [EPOCH + 1])).rowCount).toBeLessThan(2);
        expect((await tx.query('SELECT FROM archive')).rowCount).toBe(1);
      },
    );
    expect(errors).toEqual([{ message: 'Rule 7 (Orders): no exchange rate for EUR on 2024-01-01', user_id: 42 }]);
  });

  it('has the columns of the table events in the archive, in its order', async () => {
    const columns = await projection.project([], async (tx) => {
      const { rows } = await tx.query<{ table_name: string; name: string; type: string }>(
        `SELECT table_name, column_name AS name, trim('_' FROM udt_name) AS type FROM information_schema.columns
          WHERE table_schema = $1 AND table_name IN ('events', 'archive') ORDER BY ordinal_position`,
        [SCHEMA],
      );
      return rows;
    });
    const columnsOf = (table: string) =>
      columns.filter(({ table_name }) => table_name === table).map(({ name, type }) => `${name} ${type}`);
    const own = ['chunk uuid', 'first_date int8', 'last_date int8', 'last_ord int8', 'units text'];
    expect(EVENT_COLUMNS.split(', ')).toEqual(columnsOf('events').map((column) => column.split(' ')[0]));
    expect(
      columnsOf('archive')
        .filter((column) => !own.includes(column))
        .sort(),
    ).toEqual(columnsOf('events').sort());
  });
});

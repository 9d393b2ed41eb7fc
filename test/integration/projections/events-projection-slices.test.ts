import fc from 'fast-check';
import type { ClientBase } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '../../../src/database/transaction.ts';
import type { LedgerEvent } from '../../../src/domain/ledger-events.ts';
import { eventsReadModel } from '../../../src/projections/events/read-model.ts';
import { recordRevaluations, revalueSlice } from '../../../src/projections/events/revaluations.ts';
import type { ReadCommit } from '../../../src/projections/read-model.ts';
import { applyTo } from '../../../src/projections/runtime/apply.ts';
import { createTables } from '../../../src/projections/runtime/versions.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { deferredPlainly } from '../../support/deferred-plainly.ts';
import { eventsSnapshot, sorted } from '../../support/events-snapshot.ts';
import { readCommit } from '../../support/intake-commits.ts';
import { foldIntake } from '../../support/intake-fold.ts';
import { cut, EPOCH, interleaved, partitionsOf, type Step, step } from '../../support/intake-logs.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { createTestProjection } from '../../support/test-projection.ts';

/** A step of an executed plan, as in EXPLAIN: rows are the average of its loops. */
interface Plan {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly Plan[];
}

function rowsOf(plan: Plan): number {
  const each = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Join Filter'] ?? 0);
  return (plan.Plans ?? []).map(rowsOf).reduce((a, b) => a + b, each * plan['Actual Loops']);
}

/** Dates before and after all events. */
const [FIRST, LAST] = [-8e15, 8e15];

const DEFERRED_PLAINLY = deferredPlainly('events');

async function countOf(tx: ClientBase, from: string): Promise<number> {
  const { rows } = await tx.query<{ events: number }>(`SELECT events::int FROM ${from}`);
  return rows[0]!.events;
}

/** Slices convert the events that a changed rate or currency touches, between the batches and after them. */

it('the rows are those of a plain fold, for every interleaving of slices and batches', async () => {
  const projection = await createTestProjection(eventsReadModel);
  const money = step.filter(({ partition }) => !partition.startsWith('bot-'));
  const log = fc.array(fc.oneof({ weight: 2, arbitrary: step }, { weight: 1, arbitrary: money }), {
    minLength: 5,
    maxLength: 40,
    size: 'max',
  });
  const picks = fc.array(fc.nat(9), { minLength: 1, maxLength: 60, size: 'max' });
  const sizes = fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 5 });
  const some = fc.integer({ min: 1, max: 4 });
  const slice = fc.record({ converted: some, scanned: some, steps: some, bots: some });
  /** The slices after each batch, cyclically. */
  const slices = fc.array(fc.array(slice, { maxLength: 3 }), { minLength: 1, maxLength: 8, size: 'max' });
  try {
    await fc.assert(
      fc.asyncProperty(log, picks, sizes, slices, async (steps, picks, sizes, slices) => {
        const partitions = partitionsOf(steps);
        let batch = 0;
        const found = await projection.project(
          cut(interleaved(partitions, picks), sizes),
          eventsSnapshot,
          async (tx) => {
            for (const limits of slices[batch++ % slices.length]!) await revalueSlice(tx, limits);
            expect(await countOf(tx, 'deferred_events()')).toEqual(await countOf(tx, `(${DEFERRED_PLAINLY}) t`));
          },
        );
        expect(sorted(found)).toEqual(sorted(foldIntake([...partitions.values()].flat())));
      }),
      { numRuns: propertyRuns(150) },
    );
  } finally {
    await projection.drop();
  }
});

describe('in their own transactions', () => {
  let database: TestDatabase;
  let ordinal: number;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    ordinal = 100;
    await database.pool.query('DROP SCHEMA IF EXISTS e CASCADE');
    await inTransaction(database.pool, (tx) => createTables(tx, eventsReadModel, 'e'));
    const items = [{ user_id: 1 }, { user_id: 2 }];
    const users = (partition: 'bot-a' | 'bot-b', stream: string): Step => {
      return { partition, stream, wait: 0, event: { type: 'users_imported', data: { items } } };
    };
    await apply(...[...partitionsOf([users('bot-a', 'intake-a'), users('bot-b', 'intake-b')]).values()].flat());
    await drained();
  });

  const inE = <T>(work: (tx: ClientBase) => Promise<T>): Promise<T> =>
    inTransaction(database.pool, async (tx) => {
      await tx.query('SET LOCAL search_path TO e');
      return work(tx);
    });
  const apply = (...commits: ReadCommit[]): Promise<void> => inE((tx) => applyTo(eventsReadModel, tx, commits));
  const commit = (stream: string, event: LedgerEvent): ReadCommit => readCommit(stream, ordinal++, EPOCH, [event]);

  /** `count` events worth 100 of a unit, all of one date. */
  function worth(bot: 'a' | 'b', count: number, unit?: string, date = EPOCH): ReadCommit[] {
    const value = unit === undefined ? {} : { value: '100', unit };
    const items = Array.from({ length: count }, (_, i) => ({ event_id: 101, user_id: 1 + (i % 2), date, ...value }));
    return cut(items, [1000]).map((items) =>
      commit(`intake-${bot}`, { type: 'custom_events_received', data: { items } }),
    );
  }
  const rate = (rate: string, from = 'EUR', date = '2023-12-31'): ReadCommit =>
    commit('fx-global', { type: 'exchange_rate_set', data: { from, to: 'USD', rate, date } });

  /** Runs slices until no work is deferred. @returns how many events each of them wrote */
  async function drained(): Promise<number[]> {
    const touched: number[] = [];
    for (let more = true; more; )
      more = await inE(async (tx) => {
        const left = await eventsReadModel.idle!(tx, false);
        const { rows } = await tx.query<{ n: number }>(
          `SELECT count(*)::int AS n FROM events WHERE xmin::text = pg_current_xact_id()::text`,
        );
        touched.push(rows[0]!.n);
        return left;
      });
    return touched;
  }

  async function amounts(): Promise<Record<string, number>> {
    const { rows } = await database.pool.query<{ amount: string; n: number }>(
      `SELECT coalesce(trim_scale(value_amount)::text, 'none') AS amount, count(*)::int AS n FROM e.events GROUP BY 1`,
    );
    return Object.fromEntries(rows.map(({ amount, n }) => [amount, n]));
  }

  it('a slice writes a bounded number of events, all of one date or not', async () => {
    await apply(...worth('a', 4500, 'EUR'), ...worth('b', 1000, 'EUR'));
    await apply(rate('2'));
    expect(await amounts()).toEqual({ none: 5500 });
    const touched = await drained();
    expect(Math.max(...touched)).toBeLessThanOrEqual(2000);
    expect(touched.reduce((a, b) => a + b)).toBe(5500);
    expect(await amounts()).toEqual({ '2': 5500 });
  });

  it('a slice reads a bounded number of events, few of which have the unit', async () => {
    await apply(...worth('a', 30, undefined, EPOCH), ...worth('a', 1, 'EUR', EPOCH + 1), ...worth('b', 1, 'EUR'));
    await apply(rate('2'));
    const limits = { converted: 1000, scanned: 10, steps: 1000, bots: 1 };
    let slices = 1;
    while (await inE((tx) => revalueSlice(tx, limits))) slices++;
    expect(slices).toBe(6); // 31 events of bot a, one of bot b, and that there is no third bot
    expect(await amounts()).toEqual({ none: 30, '2': 2 });
  });

  it('events that a slice has passed are converted again when they are recorded again', async () => {
    await apply(...worth('a', 10, 'EUR'));
    await apply(rate('2'));
    await inE((tx) => revalueSlice(tx, { converted: 3, scanned: 10, steps: 10, bots: 10 }));
    expect(await amounts()).toEqual({ none: 7, '2': 3 });
    await apply(rate('3'));
    await drained();
    expect(await amounts()).toEqual({ '3': 10 });
  });

  it('the earliest recorded day counts', async () => {
    await apply(...worth('a', 2, 'EUR'));
    for (const date of ['2024-01-02', '2023-12-31', '2024-01-03']) await apply(rate('2', 'EUR', date));
    await drained();
    expect(await amounts()).toEqual({ '2': 2 });
  });

  it('a change that is recorded again and again does not starve any event', async () => {
    await apply(...worth('a', 10, 'EUR'), ...worth('b', 1, 'GBP', EPOCH));
    for (let i = 1; i <= 8; i++) {
      await apply(rate(`${i}`), rate('7', 'GBP'));
      await inE((tx) => revalueSlice(tx, { converted: 3, scanned: 5, steps: 4, bots: 2 }));
    }
    expect(await amounts()).toMatchObject({ '7': 1 });
    await drained();
    expect(await amounts()).toEqual({ '8': 10, '7': 1 });
  });

  describe('the number of events that wait for conversion', () => {
    const EVER = [null, FIRST, LAST, 1000] as const;
    /** The row of `deferred_events`. */
    async function deferred(...[bot, from, to, most]: readonly [string | null, number, number, number]) {
      const { rows } = await database.pool.query<{ events: number; exact: boolean; since: number | null }>(
        `SELECT events::int, exact, since::float8
           FROM e.deferred_events((SELECT bot_id FROM e.bots WHERE public_key = $1), $2, $3, false, $4)`,
        [bot, from, to, most],
      );
      return rows[0]!;
    }

    it('is exact, down to zero, and counts each event once', async () => {
      await apply(
        ...worth('a', 10, 'EUR'),
        ...worth('a', 5),
        ...worth('b', 7, 'GBP', EPOCH + 5),
        ...worth('b', 2, 'EUR'),
      );
      expect(await deferred(...EVER)).toEqual({ events: 0, exact: true, since: null });
      await apply(rate('2'));
      const since = EPOCH;
      expect(await deferred(...EVER)).toEqual({ events: 12, exact: true, since });
      expect(await deferred('a', FIRST, LAST, 1000)).toEqual({ events: 10, exact: true, since });
      await inE((tx) => revalueSlice(tx, { converted: 4, scanned: 100, steps: 100, bots: 100 }));
      expect(await deferred(...EVER)).toEqual({ events: 8, exact: true, since });
      await apply(rate('3'), rate('4', 'GBP'));
      expect(await deferred(...EVER)).toEqual({ events: 19, exact: true, since });
      expect(await deferred('b', FIRST, LAST, 1000)).toEqual({ events: 9, exact: true, since });
      await drained();
      expect(await deferred(...EVER)).toEqual({ events: 0, exact: true, since: null });
    });

    it('counts a bot with a new unit, and only its events with that unit', async () => {
      await apply(...worth('a', 3, 'TOK'), ...worth('a', 2, 'EUR'), ...worth('b', 4, 'TOK'));
      const data = { unit_id: 1, code: 'TOK', name: null, scale: 0 };
      await apply(commit('bot-a', { type: 'unit_created', data }));
      expect(await deferred(...EVER)).toEqual({ events: 3, exact: true, since: EPOCH });
      expect(await deferred('b', FIRST, LAST, 1000)).toEqual({ events: 0, exact: true, since: null });
      await drained();
      expect(await deferred(...EVER)).toEqual({ events: 0, exact: true, since: null });
    });

    it('counts only events within the given dates', async () => {
      await apply(...worth('a', 3, 'EUR', EPOCH), ...worth('a', 2, 'EUR', EPOCH + 10), rate('2'));
      expect(await deferred('a', EPOCH, EPOCH + 10, 1000)).toMatchObject({ events: 3 });
      expect(await deferred('a', EPOCH + 10, LAST, 1000)).toMatchObject({ events: 2 });
      expect(await deferred('a', EPOCH + 11, LAST, 1000)).toEqual({ events: 0, exact: true, since: null });
    });

    it('is a lower bound if more events would have to be read', async () => {
      await apply(
        ...worth('a', 3, 'EUR', EPOCH),
        ...worth('a', 9, undefined, EPOCH + 1),
        ...worth('a', 3, 'EUR', EPOCH + 2),
      );
      await apply(rate('2'));
      expect(await deferred('a', FIRST, LAST, 5)).toEqual({ events: 3, exact: false, since: EPOCH });
      expect(await deferred('a', EPOCH + 1, LAST, 5)).toEqual({ events: 0, exact: false, since: EPOCH });
      expect(await deferred('a', FIRST, LAST, 15)).toEqual({ events: 6, exact: true, since: EPOCH });
    });

    it('reads few rows after an import of 200 rates and a new unit and currency of each of 500 of 1,000 bots', async () => {
      const [bots, rates, events] = [1000, 200, 6000];
      await apply(...worth('a', 3, 'EUR'), ...worth('b', 2, 'U7'), ...worth('b', 2));
      await inE(async (tx) => {
        await tx.query(`
          INSERT INTO bots SELECT 1000 + n, 'k' || n, 1000 + n, '-', '_', '{}', '{}', 0, 0, 0, 0
            FROM generate_series(3, ${bots}) n;
          INSERT INTO owner_currencies SELECT 1000 + n, 1, 'USD', 0, ${LAST} FROM generate_series(3, ${bots}) n`);
        const all = Array.from({ length: bots }, (_, n) => 1001 + n);
        await recordRevaluations(
          tx,
          {
            rates: Array.from({ length: rates }, (_, i) => ({
              unit: `U${i}`,
              currency: 'USD',
              from_day: 0,
              at: EPOCH,
            })),
            owners: all.slice(500).map((owner_id) => ({ owner_id, at: EPOCH })),
          },
          all.slice(500).map((bot_id) => ({ bot_id, unit: 'TOK', at: EPOCH })),
        );
      });
      await inE((tx) =>
        tx.query(`
          INSERT INTO events (user_id, date, ord, session, date_received, commit_id, bot_id, event_id, user_idx, idx, unit)
          SELECT n, ${EPOCH}, n, n, ${EPOCH}, gen_random_uuid(), 1003 + n % 998, 101, 0, 0, 'U' || n % 300
            FROM generate_series(1, ${events}) n`),
      );
      const plainly = await inE((tx) => countOf(tx, `(${DEFERRED_PLAINLY}) t`));
      expect(await deferred(null, FIRST, LAST, 20_000)).toEqual({ events: plainly, exact: true, since: EPOCH });
      for (const mode of ['force_custom_plan', 'force_generic_plan'] as const)
        expect(await rowsLookedAt(mode), mode).toBeLessThan(40 * (bots + rates + events));
    });

    /** The rows that all steps of a count over all bots pass on or leave out, planned for these arguments or for any. */
    async function rowsLookedAt(mode: 'force_custom_plan' | 'force_generic_plan'): Promise<number> {
      return inE(async (tx) => {
        const { rows } = await tx.query<{ body: string; settings: string[] }>(
          `SELECT prosrc AS body, proconfig AS settings FROM pg_proc WHERE oid = 'deferred_events'::regproc`,
        );
        const { body, settings } = rows[0]!;
        for (const setting of [...settings, `plan_cache_mode=${mode}`]) await tx.query(`SET LOCAL ${setting}`);
        const names = ['only_bot', 'date_from', 'date_to', 'only_units', 'most'];
        // The function is plpgsql around one query.
        const query = body.slice(body.indexOf('WITH noted'), body.lastIndexOf(';', body.lastIndexOf('END')));
        const numbered = query.replaceAll(/\w+/g, (word) =>
          names.includes(word) ? `$${names.indexOf(word) + 1}` : word,
        );
        await tx.query(`PREPARE count_deferred (int, bigint, bigint, boolean, int) AS ${numbered}`);
        const explained = await tx.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
          `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE count_deferred (NULL, ${FIRST}, ${LAST}, false, 20000)`,
        );
        await tx.query('DEALLOCATE count_deferred');
        return rowsOf(explained.rows[0]!['QUERY PLAN'][0].Plan);
      });
    }
  });

  it('two projectors at once miss no event between them', async () => {
    const { pool } = database;
    const slow = await pool.connect();
    await slow.query('BEGIN; SET LOCAL search_path TO e');
    await eventsReadModel.apply(slow, worth('a', 1, 'EUR'));
    const other = apply(rate('2')).then(drained);
    await Promise.race([other, waits()]);
    await slow.query('COMMIT');
    slow.release();
    await other;
    expect(await amounts()).toEqual({ '2': 1 });

    async function waits(): Promise<void> {
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      while ((await pool.query(waiting)).rowCount === 0);
    }
  });
});

import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Snapshot, snapshot } from '../../../src/database/snapshot.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import { reportFields } from '../../../src/domain/reports/fields.ts';
import { eventsReadModel } from '../../../src/projections/events/read-model.ts';
import { setSearchPath } from '../../../src/projections/runtime/versions.ts';
import { type ChunkCache, createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import { NO_MEMBERS } from '../../../src/queries/reports/field-sql.ts';
import { openUserColumns } from '../../../src/queries/reports/user-columns.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { world } from './questions.ts';
import { BOT_ID, storeWorld, TABLES } from './world.ts';

let database: TestDatabase;
let cache: ChunkCache;

beforeAll(async () => {
  database = await createTestDatabase();
  await storeWorld(database.pool, world);
});
afterAll(() => database.drop());
beforeEach(() => {
  cache = createChunkCache(1e6);
});

const users = `${TABLES.users}.users`;
const write = (text: string, values: readonly unknown[] = []) => database.pool.query(text, [...values]);

/** The values of a field by user id, as a report on the snapshot gets them, and how many users it read. */
async function valuesIn(snapshot: Snapshot, name: string, { from }: { readonly from: ChunkCache }) {
  const field = reportFields.find(name)!;
  const bots = `SELECT user_count FROM ${TABLES.events}.bots WHERE bot_id = ${BOT_ID}`;
  const known = await rowsOf(
    snapshot,
    `SELECT k.idx::text, k.user_id::text FROM ${TABLES.events}.known_users k WHERE k.bot_id = ${BOT_ID}`,
    2,
  );
  const [[count]] = (await rowsOf(snapshot, `SELECT (${bots})::text`, 1)) as [[string]];
  let read = 0;
  const counting: typeof snapshot.copy = (select, columns, onRow) =>
    snapshot.copy(select, columns, (...row) => {
      read++;
      onRow(...row);
    });
  const columns = openUserColumns({
    botId: BOT_ID,
    tables: TABLES,
    members: NO_MEMBERS,
    snapshot: { query: snapshot.query, copy: counting },
    cache: from,
    users: Number(count),
  });
  const column = await columns.of(field);
  if (column === null) return null;
  const { numbers, values } = column.numbered();
  return {
    read,
    values: new Map(known.map(([idx, id]) => [Number(id), column.values[column.codes[Number(idx)]!]])),
    shown: new Map(known.map(([idx, id]) => [Number(id), values[numbers[Number(idx)]!]![0]])),
  };
}

async function rowsOf({ copy }: Snapshot, select: string, columns: number): Promise<string[][]> {
  const rows: string[][] = [];
  await copy(select, columns, (bytes, starts, lengths) => {
    rows.push(Array.from({ length: columns }, (_, i) => bytes.toString('utf8', starts[i]!, starts[i]! + lengths[i]!)));
  });
  return rows;
}

const valuesOf = (name: string, from = cache) =>
  snapshot(database.pool, { timeoutMs: 10_000 }, (snapshot) => valuesIn(snapshot, name, { from }));
const freshValuesOf = (name: string) => valuesOf(name, createChunkCache(1e6));

it('reads all users once, and then only changed ones', async () => {
  const first = await valuesOf('user.username');
  expect(first!.read).toBe(world.users.size);
  expect(first!.values).toEqual(
    new Map(world.events.map(({ user_id }) => [user_id, world.users.get(user_id)?.username ?? null])),
  );
  expect(await valuesOf('user.username')).toEqual({ ...first, read: 0 });
  await write(`UPDATE ${users} SET username = 'new' WHERE bot_id = $1 AND user_id = 3`, [BOT_ID]);
  await write(`UPDATE ${users} SET username = 'other' WHERE bot_id = $1 AND user_id = 3`, [BOT_ID + 1]);
  const second = await valuesOf('user.username');
  expect(second!.read).toBe(1);
  expect(second!.values).toEqual(new Map(first!.values).set(3, 'new'));
});

it('gives a report of an older snapshot the values of that snapshot', async () => {
  const before = await freshValuesOf('user.username');
  await snapshot(database.pool, { timeoutMs: 10_000 }, async (older) => {
    await rowsOf(older, 'SELECT 1::text', 1);
    await write(`UPDATE ${users} SET username = 'newer' WHERE bot_id = $1 AND user_id = 5`, [BOT_ID]);
    expect((await valuesOf('user.username'))!.values.get(5)).toBe('newer');
    expect((await valuesIn(older, 'user.username', { from: cache }))!.values).toEqual(before!.values);
  });
  expect((await valuesOf('user.username'))!.values.get(5)).toBe('newer');
});

it('keeps the values of a report that waits while a later one renews them', async () => {
  await valuesOf('user.username');
  await snapshot(database.pool, { timeoutMs: 10_000 }, async (snapshot) => {
    const columns = openUserColumns({ botId: BOT_ID, tables: TABLES, members: NO_MEMBERS, snapshot, cache, users: 99 });
    const column = await columns.of(reportFields.find('user.username')!);
    const values = () => Array.from(column!.codes, (code) => column!.values[code]);
    const before = values();
    await write(`UPDATE ${users} SET username = 'renewed' WHERE bot_id = $1`, [BOT_ID]);
    await valuesOf('user.username');
    expect(values()).toEqual(before);
  });
});

describe('reads all users again', () => {
  it('after a rebuild, though as many users have changed', async () => {
    await valuesOf('user.username');
    await write(`CREATE TABLE ${TABLES.users}.copy (LIKE ${TABLES.users}.user_changes INCLUDING ALL);
      INSERT INTO ${TABLES.users}.copy SELECT * FROM ${TABLES.users}.user_changes;
      DROP TABLE ${TABLES.users}.user_changes; ALTER TABLE ${TABLES.users}.copy RENAME TO user_changes`);
    expect((await valuesOf('user.username'))!.read).toBe(world.users.size);
  });

  it('after a rebuild of its bot, which may give users another index', async () => {
    const before = await valuesOf('user.username');
    const known = `${TABLES.events}.known_users`;
    await inTransaction(database.pool, async (tx) => {
      await setSearchPath(tx, TABLES.events);
      await eventsReadModel.forget!(tx, [BOT_ID]);
      const most = `(SELECT max(idx) FROM ${known} WHERE bot_id = ${BOT_ID})`;
      await tx.query(`UPDATE ${known} SET idx = ${most} - idx WHERE bot_id = ${BOT_ID}`);
    });
    const after = await valuesOf('user.username');
    expect(after!.read).toBe(world.users.size);
    expect(after!.values).toEqual(before!.values);
  });

  it('if changes that it has not seen were deleted', async () => {
    await valuesOf('user.username');
    const moved = 'SET after = after + 1000000, upto = upto + 1000000 WHERE bot_id = $1';
    await write(`UPDATE ${TABLES.users}.user_changes ${moved}`, [BOT_ID]);
    expect((await valuesOf('user.username'))!.read).toBe(world.users.size);
  });
});

it('deletes old changes', async () => {
  const bot = 1000;
  const added = (id: number, count: number) =>
    write(
      `INSERT INTO ${users} (bot_id, user_id, user_status, date_create, custom_fields, addition_fields)
       SELECT $1, $2::int + i, 'active', 0, '{}', '{}' FROM generate_series(1, $3::int) AS i`,
      [bot, id, count],
    );
  const kept = async () => {
    const { rows } = await write(
      `SELECT after::int, upto::int FROM ${TABLES.users}.user_changes WHERE bot_id = $1 ORDER BY after`,
      [bot],
    );
    return rows.map(({ after, upto }) => [after, upto]);
  };
  await added(0, 20_000);
  await added(20_000, 20_000);
  expect(await kept()).toEqual([
    [0, 20_000],
    [20_000, 40_000],
  ]);
  await added(40_000, 1);
  expect(await kept()).toEqual([
    [20_000, 40_000],
    [40_000, 40_001],
  ]);
});

it('keeps no field that takes much of the memory', async () => {
  const small = createChunkCache(1000);
  expect((await valuesOf('user.username', small))!.read).toBe(world.users.size);
  expect(await valuesOf('user.username', small)).toBe(null);
});

it('gives the values that a first report would get, whatever changed in whatever order', async () => {
  const FIELDS = [
    'user.username',
    'user.date_last_active',
    'user.custom_fields.level',
    'user.addition_fields.start_param',
  ];
  const user = fc.integer({ min: 1, max: 12 });
  const value = fc.constantFrom<unknown>(null, 'a', 'b', '1', 1, 1.0, 1.5, true);
  const step = fc.oneof(
    fc.tuple(
      fc.constant(`UPDATE ${users} SET username = $3 WHERE bot_id = $1 AND user_id = $2`),
      user,
      fc.constantFrom('a', 'b', null),
    ),
    fc.tuple(
      fc.constant(`UPDATE ${users} SET date_last_active = $3 WHERE bot_id = $1 AND user_id = $2`),
      user,
      fc.constantFrom(1000, 1001, 1999, 2000, null),
    ),
    fc.tuple(
      fc.constant(
        `UPDATE ${users} SET custom_fields = jsonb_build_object('level', $3::jsonb) WHERE bot_id = $1 AND user_id = $2`,
      ),
      user,
      value.map((each) => JSON.stringify(each)),
    ),
    // A user that events know later, earlier, or never.
    fc.tuple(
      fc.constant(`INSERT INTO ${users} (bot_id, user_id, username, user_status, date_create, custom_fields, addition_fields)
        VALUES ($1, $2 + 1000, $3, 'active', 0, '{}', '{}') ON CONFLICT DO NOTHING`),
      user,
      fc.constantFrom('a', 'new'),
    ),
    fc.tuple(
      fc.constant(`WITH added AS (INSERT INTO ${TABLES.events}.known_users (bot_id, user_id, since, idx)
          SELECT bot_id, $2 + 1000, 0, user_count FROM ${TABLES.events}.bots WHERE bot_id = $1 AND $3::int = 1
          ON CONFLICT DO NOTHING RETURNING bot_id)
        UPDATE ${TABLES.events}.bots b SET user_count = user_count + 1 FROM added WHERE b.bot_id = added.bot_id`),
      user,
      fc.constant(1),
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, fc.constantFrom(null, ...FIELDS)), { maxLength: 12 }), async (steps) => {
      for (const [[text, id, given], asked] of steps) {
        await write(text, [BOT_ID, id, given]);
        if (asked !== null) await valuesOf(asked);
      }
      for (const field of FIELDS) {
        const [kept, fresh] = [await valuesOf(field), await freshValuesOf(field)];
        expect(kept!.values).toEqual(fresh!.values);
        expect(kept!.shown).toEqual(fresh!.shown);
      }
    }),
    { numRuns: propertyRuns(8) },
  );
});

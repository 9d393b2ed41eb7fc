import fc from 'fast-check';
import { LosslessNumber, stringify } from 'lossless-json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FilterConditions, Segmentations } from '../../../src/domain/broadcast/audience.ts';
import { parseSegmentations, type SavedSegments } from '../../../src/domain/broadcast/audience-segmentations.ts';
import { type FieldValue, predicateOf } from '../../../src/domain/condition/predicate.ts';
import type { ReportField } from '../../../src/domain/reports/fields.ts';
import { storedConditions } from '../../../src/domain/saved-segments/stored-conditions.ts';
import { audienceChats } from '../../../src/queries/broadcast/audience-sql.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type Asked, expectedChats } from './audience-oracle.ts';
import { asked, TIMEZONES, userConditions } from './audience-questions.ts';
import {
  AS_OF,
  BOT_ID,
  SEGMENTS,
  STORAGES,
  sampleWorld,
  storeEvents,
  storeWorld,
  TABLES,
  type WorldUser,
} from './audience-world.ts';

let database: TestDatabase;
const world = sampleWorld();
beforeAll(async () => {
  database = await createTestDatabase();
  await storeWorld(database.pool, world);
});
afterAll(() => database.drop());

function parse(input: unknown, timezone = 'UTC', savedSegments: SavedSegments = new Map()): Segmentations {
  const problems: [] = [];
  const options = { timezone, path: 'segmentations', problems, segmentIds: new Set(SEGMENTS), savedSegments };
  const segmentations = parseSegmentations(input, options);
  expect(problems).toEqual([]);
  return segmentations;
}

async function chatsOf(segmentations: Segmentations, after: number | null = null): Promise<number[]> {
  const source = { botId: BOT_ID, tables: TABLES, asOf: AS_OF, after };
  const chats: number[] = [];
  for await (const chunk of audienceChats(database.pool, segmentations, source)) chats.push(...chunk);
  return chats;
}

it.each(STORAGES)('an audience is what brute force makes of it, with events %s', async (storage) => {
  await storeEvents(database.pool, storage, world);
  const seen = { some: 0, notAll: 0, negative: 0 };
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...TIMEZONES), asked, async (timezone, input) => {
      const chats = await chatsOf(parse(input, timezone));
      expect(chats).toEqual(expectedChats(world, input, timezone, AS_OF));
      if (chats.length > 0) seen.some += 1;
      if (chats.length < 35) seen.notAll += 1;
      if (chats.some((chat) => chat < 0)) seen.negative += 1;
    }),
    { numRuns: 200 },
  );
  expect(Math.min(seen.some, seen.notAll, seen.negative)).toBeGreaterThan(30);
});

it('an audience of saved segments is that of filters with their conditions', async () => {
  const filtered = asked.filter(({ include, exclude }) => [...include, ...exclude].some(hasCondition));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...TIMEZONES), filtered, async (timezone, input) => {
      const saved = new Map<number, FilterConditions>();
      const save = (segment: AskedSegment) => {
        if (!hasCondition(segment) || saved.size === 10) return segment;
        const id = saved.size + 1;
        saved.set(id, storedConditions(stringify(segment.config)!, timezone));
        return { type: 'saved', config: { saved_segment_id: id } };
      };
      const named = { include: input.include.map(save), exclude: input.exclude.map(save) };
      expect(saved.size).toBeGreaterThan(0);
      expect(await chatsOf(parse(named, timezone, saved))).toEqual(expectedChats(world, input, timezone, AS_OF));
    }),
    { numRuns: 60 },
  );
});

type AskedSegment = Asked['include'][number];

function hasCondition({ type, config }: AskedSegment): boolean {
  const given = Object.values(config ?? {}).filter((value) => Array.isArray(value) && value.length > 0);
  return type === 'filter' && given.length > 0;
}

it('the predicate of a condition holds for the users that its SQL finds', async () => {
  const users = world.users.filter(({ bot_id, user_id }) => bot_id === BOT_ID && !world.erased.includes(user_id));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...TIMEZONES), userConditions, async (timezone, user_conditions) => {
      const segmentations = parse({ include: [{ type: 'filter', config: { user_conditions } }] }, timezone);
      const [segment] = segmentations.include;
      if (segment?.type !== 'filter') throw new Error('a filter was parsed as something else');
      const holds = predicateOf<ReportField, WorldUser>(segment.users!, readerOf);
      const found = users.filter(holds).map(({ user_id }) => user_id);
      expect(await chatsOf(segmentations)).toEqual(found.sort((a, b) => a - b));
    }),
    { numRuns: 200 },
  );
});

function readerOf({ root, key, type }: ReportField): (user: WorldUser) => FieldValue {
  return (user) => {
    const { custom_fields, addition_fields, referral } = user;
    const referred = { referrer_id: referral?.referrer_id, referral_code: referral?.code };
    const values = {
      user,
      'user.custom_fields': custom_fields,
      'user.addition_fields': { ...addition_fields, ...referred },
    };
    const value =
      (values[root as keyof typeof values] as Readonly<Record<string, FieldValue | undefined>>)[key] ?? null;
    if (typeof value !== 'number' || type === 'date') return value;
    return type === 'dynamic' ? new LosslessNumber(String(value)) : String(value);
  };
}

it('what is above a chat is the rest of the audience', async () => {
  await fc.assert(
    fc.asyncProperty(asked, fc.constantFrom(-6, -5, 0, 3, 30, Number.MAX_SAFE_INTEGER), async (input, after) => {
      const all = await chatsOf(parse(input));
      expect(await chatsOf(parse(input), after)).toEqual(all.filter((chat) => chat > after));
    }),
    { numRuns: 60 },
  );
});

it('comes in chunks of 10,000, and a reader that stops early leaves no connection behind', async () => {
  const chat_ids = Array.from({ length: 25_000 }, (_, index) => 2000 + ((index * 7919) % 25_000));
  const list = parse({ include: [{ type: 'list', config: { chat_ids } }] });
  const source = { botId: BOT_ID, tables: TABLES, asOf: AS_OF, after: null };
  const sizes: number[] = [];
  for await (const chunk of audienceChats(database.pool, list, source)) sizes.push(chunk.length);
  expect(sizes).toEqual([10_000, 10_000, 5000]);
  for await (const _ of audienceChats(database.pool, list, source)) break;
  expect(database.pool.totalCount - database.pool.idleCount).toBe(0);
});

it('an empty include list gives an empty audience', async () => {
  expect(await chatsOf(parse({ include: [], exclude: [{ type: 'all' }] }))).toEqual([]);
  expect(await chatsOf(parse({ include: [{ type: 'filter', config: {} }] }))).toEqual([]);
  expect(await chatsOf(parse(null))).toEqual([]);
});

it('a long statement is ended when its caller stops', async () => {
  const { pool } = database;
  const locker = await pool.connect();
  try {
    await locker.query(`BEGIN; LOCK TABLE ${TABLES.users}.users`);
    const stopping = new AbortController();
    const source = { botId: BOT_ID, tables: TABLES, asOf: AS_OF, after: null };
    const chats = audienceChats(pool, parse({ include: [{ type: 'all' }] }), source, stopping.signal);
    const first = chats.next();
    await expect
      .poll(async () => {
        const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return (await pool.query(waiting)).rowCount;
      })
      .toBeGreaterThan(0);
    stopping.abort(new Error('cancelled'));
    await expect(first).rejects.toThrow('cancelled');
  } finally {
    await locker.query('ROLLBACK');
    locker.release();
  }
});

import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createLeaseHolder } from '../../../src/database/lease.ts';
import { isAnyHeld } from '../../../src/database/lease-rows.ts';
import { migrateRuntimeSchema } from '../../../src/database/runtime-schema.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { spied } from '../../support/spied-pool.ts';

/** Long, so that a slow machine loses no lease. */
const TTL_MS = 10_000;
const SHORT_TTL_MS = 400;
const RENEW_MS = 100;
const PARTS = 6;
const logger = pino({ level: 'silent' });

let database: TestDatabase;
let members: Member[];
beforeAll(async () => {
  database = await createTestDatabase();
  await migrateRuntimeSchema(database.pool);
});
afterAll(() => database.drop());
beforeEach(() => {
  members = [];
});
afterEach(async () => {
  for (const member of members) await member.stop();
  await database.pool.query('DELETE FROM runtime.leases');
});

interface Member {
  /** The parts that it works on now. */
  parts(): number[];
  /** How often its work has begun. */
  begun(): number;
  stop(): Promise<void>;
}

function join(holder: string, { standBy = false, ttlMs = TTL_MS } = {}): Member {
  const end = new AbortController();
  let now: ReadonlySet<number> = new Set();
  let begun = 0;
  const leases = createLeaseHolder(database.pool, holder, { logger, ttlMs, renewMs: RENEW_MS });
  const done = leases.share('a share', { parts: PARTS, shareIndex: 0, standBy }, end.signal, async (parts, signal) => {
    now = parts;
    begun++;
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    now = new Set();
  });
  const member = {
    parts: () => [...now].sort(),
    begun: () => begun,
    async stop() {
      end.abort();
      await done;
    },
  };
  members.push(member);
  return member;
}

const counts = (...of: Member[]): number[] => of.map((member) => member.parts().length);
const all = (...of: Member[]): number[] => of.flatMap((member) => member.parts()).sort();
const EVERY = Array.from({ length: PARTS }, (_, part) => part);

it('gives one member all parts, and divides them evenly when others come', async () => {
  const first = join('first');
  await expect.poll(() => counts(first)).toEqual([6]);
  const second = join('second');
  await expect.poll(() => counts(first, second)).toEqual([3, 3]);
  expect(all(first, second)).toEqual(EVERY);
  const third = join('third');
  await expect.poll(() => counts(first, second, third)).toEqual([2, 2, 2]);
  expect(all(first, second, third)).toEqual(EVERY);
  await second.stop();
  await expect.poll(() => counts(first, third)).toEqual([3, 3]);
  expect(all(first, third)).toEqual(EVERY);
});

it('never has a part worked on by two members while all renew in time', async () => {
  const some = ['a', 'b', 'c'].map((holder) => join(holder));
  for (let looks = 0; looks < 60; looks++) {
    const now = all(...some);
    expect(new Set(now).size).toBe(now.length);
    if (looks === 20) some.push(join('d'));
    if (looks === 40) await some[0]!.stop();
    await sleep(RENEW_MS / 5);
  }
});

it('gives the parts of a member that died to the others once its leases have expired', async () => {
  await database.pool.query(
    `INSERT INTO runtime.leases
     SELECT 'a share/' || part, 'dead', clock_timestamp() + interval '50 seconds'
       FROM unnest('{0,1,2,member dead}'::text[]) AS part`,
  );
  const living = join('living');
  await expect.poll(() => living.parts()).toEqual([3, 4, 5]);
  await database.pool.query(`UPDATE runtime.leases SET expires_at = clock_timestamp() WHERE holder = 'dead'`);
  await expect.poll(() => living.parts()).toEqual(EVERY);
});

it('ends the work on a part that was lost, and continues with the rest', async () => {
  const first = join('first');
  await expect.poll(() => counts(first)).toEqual([6]);
  await database.pool.query(
    `UPDATE runtime.leases SET holder = 'thief', expires_at = clock_timestamp() + interval '50 seconds' WHERE name = 'a share/4'`,
  );
  await expect.poll(() => first.parts()).toEqual([0, 1, 2, 3, 5]);
});

it('ends the work when the database does not renew the leases before they expire, and begins again later', async () => {
  const first = join('first', { ttlMs: SHORT_TTL_MS });
  await expect.poll(() => counts(first)).toEqual([6]);
  await database.pool.query('ALTER TABLE runtime.leases RENAME TO hidden');
  try {
    await expect.poll(() => counts(first)).toEqual([0]);
  } finally {
    await database.pool.query('ALTER TABLE runtime.hidden RENAME TO leases');
  }
  await expect.poll(() => counts(first)).toEqual([6]);
});

it('gives a stand-by parts only while there is no other member', async () => {
  const command = join('command', { standBy: true });
  await expect.poll(() => counts(command)).toEqual([6]);
  const service = join('service');
  await expect.poll(() => counts(command, service)).toEqual([0, 6]);
  const other = join('other command', { standBy: true });
  await sleep(3 * RENEW_MS);
  expect([counts(command, service, other), service.begun()]).toEqual([[0, 6, 0], 1]);
  await service.stop();
  await expect.poll(() => counts(command, other)).toEqual([3, 3]);
});

it('takes no part while another holds the lease of the whole', async () => {
  const first = join('first');
  await expect.poll(() => counts(first)).toEqual([6]);
  await database.pool.query(
    `INSERT INTO runtime.leases VALUES ('a share', 'of a former release', clock_timestamp() + interval '50 seconds')`,
  );
  await expect.poll(() => counts(first)).toEqual([0]);
  await database.pool.query(`DELETE FROM runtime.leases WHERE name = 'a share'`);
  await expect.poll(() => counts(first)).toEqual([6]);
});

it('says whether anyone holds a part, whatever members wait', async () => {
  const first = join('first');
  await expect.poll(() => counts(first)).toEqual([6]);
  expect(await isAnyHeld(database.pool, ['a share'])).toBe(true);
  expect(await isAnyHeld(database.pool, ['a share'], 'first')).toBe(false);
  expect(await isAnyHeld(database.pool, ['a shar'])).toBe(false);
  await first.stop();
  expect(await isAnyHeld(database.pool, ['a share'])).toBe(false);
  await database.pool.query(
    `INSERT INTO runtime.leases VALUES ('a share/member x', 'x', clock_timestamp() + interval '50 seconds')`,
  );
  expect(await isAnyHeld(database.pool, ['a share'])).toBe(false);
});

it('renews all shares of a holder by one statement, and leaves no lease behind', async () => {
  const statements: string[] = [];
  const pool = spied(database.pool, statements);
  const leases = createLeaseHolder(pool, 'one', { logger, ttlMs: TTL_MS, renewMs: RENEW_MS });
  const end = new AbortController();
  let working = 0;
  const done = EVERY.map((shareIndex) =>
    leases.share(`share ${shareIndex}`, { parts: PARTS, shareIndex }, end.signal, async (_parts, signal) => {
      working++;
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    }),
  );
  await expect.poll(() => working).toBe(EVERY.length);
  statements.length = 0;
  await sleep(5 * RENEW_MS);
  expect(statements.length).toBeLessThanOrEqual(5);
  expect(statements.length).toBeGreaterThan(0);
  end.abort();
  await Promise.all(done);
  expect((await database.pool.query('SELECT FROM runtime.leases')).rowCount).toBe(0);
});

it('returns the result of work that ends by itself, and passes its error on', async () => {
  const leases = createLeaseHolder(database.pool, 'one', { logger, ttlMs: TTL_MS, renewMs: RENEW_MS });
  const { signal } = new AbortController();
  const options = { parts: PARTS, shareIndex: 0 };
  expect(await leases.share('a share', options, signal, async (parts) => parts.size)).toBe(6);
  await expect(leases.share('a share', options, signal, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect((await database.pool.query('SELECT FROM runtime.leases')).rowCount).toBe(0);
});

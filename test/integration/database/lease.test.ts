import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createLeaseHolder, holdLease } from '../../../src/database/lease.ts';
import { isHeld } from '../../../src/database/lease-rows.ts';
import { migrateRuntimeSchema } from '../../../src/database/runtime-schema.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { spied } from '../../support/spied-pool.ts';

const TTL_MS = 400;
const RENEW_MS = 100;

let database: TestDatabase;
let end: AbortController;
beforeAll(async () => {
  database = await createTestDatabase();
  await migrateRuntimeSchema(database.pool);
});
afterAll(() => database.drop());
beforeEach(async () => {
  end = new AbortController();
  await database.pool.query('DELETE FROM runtime.leases');
});

interface Worker {
  /** Resolves once the work has begun. */
  readonly begun: Promise<void>;
  /** Resolves once the work's signal aborts. */
  readonly told: Promise<void>;
  readonly done: Promise<unknown>;
}

/** Holds the lease until told to stop. */
function hold(holder: string, signal = end.signal): Worker {
  let begin = (): void => {};
  let tell = (): void => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const told = new Promise<void>((resolve) => (tell = resolve));
  const options = { signal, logger: pino({ level: 'silent' }), ttlMs: TTL_MS, renewMs: RENEW_MS };
  const done = holdLease(database.pool, 'a lease', holder, options, async (held) => {
    begin();
    if (!held.aborted) await new Promise((resolve) => held.addEventListener('abort', resolve, { once: true }));
    tell();
  });
  return { begun, told, done };
}

const holders = async (): Promise<string[]> =>
  (await database.pool.query<{ holder: string }>('SELECT holder FROM runtime.leases')).rows.map(({ holder }) => holder);

it('has one holder at a time, also for longer than its time to live', async () => {
  const first = hold('first');
  await first.begun;
  let overlapped = false;
  const second = hold('second');
  void second.begun.then(() => (overlapped = !end.signal.aborted));
  await new Promise((resolve) => setTimeout(resolve, 2 * TTL_MS));
  expect(await holders()).toEqual(['first']);
  expect(overlapped).toBe(false);
  end.abort();
  await Promise.all([first.done, second.done]);
});

it('is given back at the end, so that the next holder need not wait for it to expire', async () => {
  const own = new AbortController();
  const first = hold('first', own.signal);
  await first.begun;
  own.abort();
  await first.done;
  expect(await holders()).toEqual([]);
  const second = hold('second');
  await second.begun;
  end.abort();
  await second.done;
});

it('is given back when the work fails, and the caller gets the error', async () => {
  const options = { signal: end.signal, logger: pino({ level: 'silent' }), ttlMs: TTL_MS, renewMs: RENEW_MS };
  const failing = holdLease(database.pool, 'a lease', 'first', options, () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  expect(await holders()).toEqual([]);
});

it('passes to another holder when its holder died', async () => {
  await database.pool.query(
    `INSERT INTO runtime.leases VALUES ('a lease', 'dead', clock_timestamp() + $1 * interval '1 millisecond')`,
    [TTL_MS],
  );
  const started = performance.now();
  const second = hold('second');
  await second.begun;
  expect(performance.now() - started).toBeGreaterThan(TTL_MS / 2);
  expect(await holders()).toEqual(['second']);
  end.abort();
  await second.done;
});

it('aborts the work when it is lost, and leaves the new holder’s lease alone', async () => {
  const first = hold('first');
  await first.begun;
  await database.pool.query(
    `UPDATE runtime.leases SET holder = 'thief', expires_at = clock_timestamp() + interval '50 seconds'`,
  );
  await first.told;
  await first.done;
  expect(end.signal.aborted).toBe(false);
  expect(await holders()).toEqual(['thief']);
});

it('aborts the work when the database does not renew it before it expires', async () => {
  const first = hold('first');
  await first.begun;
  await database.pool.query('ALTER TABLE runtime.leases RENAME TO hidden');
  try {
    await first.told;
  } finally {
    await database.pool.query('ALTER TABLE runtime.hidden RENAME TO leases');
  }
  await first.done;
});

it('never begins the work when the signal aborts while it waits', async () => {
  const first = hold('first');
  await first.begun;
  const own = new AbortController();
  const second = hold('second', own.signal);
  own.abort();
  expect(await second.done).toBeUndefined();
  end.abort();
  await first.done;
});

it('is renewed with all others of its holder, until each is lost or given back by itself', async () => {
  const statements: string[] = [];
  const pool = spied(database.pool, statements);
  const leases = createLeaseHolder(pool, 'first', {
    logger: pino({ level: 'silent' }),
    ttlMs: TTL_MS,
    renewMs: RENEW_MS,
  });
  const names = Array.from({ length: 20 }, (_, i) => `lease ${i}`);
  const told = new Set<string>();
  const ends = names.map(() => new AbortController());
  let begun = 0;
  const done = names.map((name, i) =>
    leases.hold(name, ends[i]!.signal, async (held) => {
      begun++;
      await new Promise((go) => held.addEventListener('abort', go, { once: true }));
      told.add(name);
    }),
  );
  await expect.poll(() => begun).toBe(names.length);
  statements.length = 0;
  await new Promise((resolve) => setTimeout(resolve, 3 * TTL_MS));
  expect(statements.length).toBeLessThanOrEqual((3 * TTL_MS) / RENEW_MS);
  expect(new Set(await heldNames())).toEqual(new Set(names));
  expect(told.size).toBe(0);

  await database.pool.query(
    `UPDATE runtime.leases SET holder = 'thief', expires_at = clock_timestamp() + interval '50 seconds' WHERE name = $1`,
    [names[3]],
  );
  await done[3];
  ends[5]!.abort();
  await done[5];
  expect(told).toEqual(new Set([names[3], names[5]]));
  await new Promise((resolve) => setTimeout(resolve, 2 * RENEW_MS));
  expect(new Set(await heldNames())).toEqual(new Set(names.filter((name) => name !== names[3] && name !== names[5])));
  for (const each of ends) each.abort();
  await Promise.all(done);
  expect(await holders()).toEqual(['thief']);
});

it('requests all leases that others hold in one statement, and takes each when it is free', async () => {
  const statements: string[] = [];
  const logger = pino({ level: 'silent' });
  const leases = createLeaseHolder(spied(database.pool, statements), 'second', {
    logger,
    ttlMs: TTL_MS,
    renewMs: RENEW_MS,
  });
  const names = Array.from({ length: 20 }, (_, i) => `lease ${i}`);
  await database.pool.query(
    `INSERT INTO runtime.leases SELECT name, 'first', clock_timestamp() + interval '50 seconds' FROM unnest($1::text[]) AS name`,
    [names],
  );
  const taken = new Set<string>();
  const done = names.map((name) =>
    leases.hold(name, end.signal, async (held) => {
      taken.add(name);
      await new Promise((go) => held.addEventListener('abort', go, { once: true }));
    }),
  );
  await expect.poll(() => statements.length).toBeGreaterThan(names.length); // each by itself at first
  statements.length = 0;
  await new Promise((resolve) => setTimeout(resolve, 5 * RENEW_MS));
  expect(statements.length).toBeLessThanOrEqual(5);
  expect(taken.size).toBe(0);
  await database.pool.query(`DELETE FROM runtime.leases WHERE name = ANY ($1)`, [[names[3], names[5]]]);
  await expect.poll(() => [...taken].sort()).toEqual([names[3], names[5]]);
  end.abort();
  await Promise.all(done);
  expect(new Set(await holders())).toEqual(new Set(['first']));
});

async function heldNames(): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string }>(
    `SELECT name FROM runtime.leases WHERE holder = 'first' AND expires_at > clock_timestamp()`,
  );
  return rows.map(({ name }) => name);
}

it('a lease that ends later than any lease lasts has no holder: the clock of the database was set back', async () => {
  await database.pool.query(
    `INSERT INTO runtime.leases VALUES ('a lease', 'dead', clock_timestamp() + interval '1 hour')`,
  );
  expect(await isHeld(database.pool, 'a lease')).toBe(false);
  const worker = hold('next');
  await worker.begun;
  expect(await holders()).toEqual(['next']);
  end.abort();
  await worker.done;
});

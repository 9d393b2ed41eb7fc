import type pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrateRuntimeSchema } from '../../../src/database/runtime-schema.ts';
import { eventTypeRegistered } from '../../../src/domain/catalog/catalog-events.ts';
import { customEventsReceived } from '../../../src/domain/intake/intake-events.ts';
import { ANY_CATEGORIES, eventTypesStream, intakeStream } from '../../../src/domain/streams.ts';
import type { EventLog, LogEvent, RecordedCommit } from '../../../src/log/port.ts';
import { openPostgresLog } from '../../../src/log/postgres/postgres-log.ts';
import type { ReadModel } from '../../../src/projections/read-model.ts';
import { runProjector, shareAmongProjectors } from '../../../src/projections/runtime/projector.ts';
import { type ProjectionStatus, projectionStatus } from '../../../src/projections/runtime/status.ts';
import { createVersion, findVersion, noteError } from '../../../src/projections/runtime/versions.ts';
import { servedProgress, waitForReadModels } from '../../../src/projections/runtime/wait-for-read-models.ts';
import { pause } from '../../../src/util/pause.ts';
import { systemSources } from '../../../src/util/system-sources.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

/** The projector runtime, on a read model that records the ids of its commits. */
const notes: ReadModel = {
  name: 'notes',
  shape: 1,
  categories: ['intake'],
  events: ['custom_events_received'],
  ddl: 'CREATE TABLE seen (commit_id uuid PRIMARY KEY, holder text)',
  async apply(tx, commits) {
    for (const commit of commits) {
      if (commit.causation === 'poison') throw new TypeError('this commit cannot be taken');
      await tx.query('INSERT INTO seen (commit_id) VALUES ($1)', [commit.id]);
    }
  },
};

let database: TestDatabase;
let log: EventLog;
let running: { stop: AbortController; done: Promise<void> }[];

beforeEach(async () => {
  database = await createTestDatabase();
  await migrateRuntimeSchema(database.pool);
  log = await openPostgresLog({ connectionString: database.url, anyCategories: ANY_CATEGORIES });
  running = [];
});
afterEach(async () => {
  for (const { stop, done } of running) {
    stop.abort();
    await done;
  }
  await log.close();
  await database.drop();
});

function startProjector(
  holder: string,
  model: ReadModel = notes,
  through: { readonly log?: EventLog; readonly pool?: pg.Pool } = {},
  onBadEvent: 'stop' | 'dead-letter' = 'stop',
): AbortController {
  const stop = new AbortController();
  const logger = pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' });
  const done = runProjector({
    model,
    log: through.log ?? log,
    ...shareAmongProjectors(through.pool ?? database.pool, holder, logger),
    logger,
    onBadEvent,
    signal: stop.signal,
  });
  running.push({ stop, done });
  return stop;
}

interface Appending {
  readonly causation?: string;
  readonly event?: LogEvent;
  readonly stream?: string;
}

const item = { event_id: 101, user_id: 7 };

async function append(options: Appending = {}): Promise<string> {
  const id = systemSources.uuid();
  await log.append({
    id,
    stream: options.stream ?? intakeStream('b1'),
    expected: 'any',
    at: systemSources.now(),
    events: [options.event ?? customEventsReceived.create({ items: [item] })],
    causation: options.causation,
  });
  return id;
}

/** A commit that is not of the read model's categories. */
async function appendOther(bot: string): Promise<void> {
  await log.append({
    id: systemSources.uuid(),
    stream: eventTypesStream(bot),
    expected: { revision: 0, hash: '' },
    at: systemSources.now(),
    events: [eventTypeRegistered.create({ event_id: 101, name: 'paid' })],
  });
}

async function seen(): Promise<string[]> {
  const { rows } = await database.pool.query<{ commit_id: string }>('SELECT commit_id FROM notes_v1.seen ORDER BY 1');
  return rows.map((row) => row.commit_id);
}

async function statusOfNotes(): Promise<ProjectionStatus> {
  const rows = await projectionStatus(database.pool, log, [notes]);
  expect(rows).toHaveLength(1);
  return rows[0]!;
}

async function caughtUp(): Promise<void> {
  const wait = waitForReadModels([servedProgress(database.pool, notes)], await log.endCursor(), { timeoutMs: 10_000 });
  expect(await wait).not.toBeNull();
}

test('applies every commit of its categories, each once, before and after it starts', async () => {
  const before = await append();
  startProjector('a');
  await caughtUp();
  const after = await append();
  await appendOther('b1');
  await caughtUp();
  expect(await seen()).toEqual([before, after]);
});

test('one of two projectors works, and the other takes over within seconds', async () => {
  const first = startProjector('a');
  await append();
  await caughtUp();
  startProjector('b');
  const holder = async () =>
    (await database.pool.query(`SELECT holder FROM runtime.leases WHERE name = 'projection notes_v1/0'`)).rows[0]
      ?.holder;
  await expect.poll(holder).toBe('a'); // it takes the partitions after the build
  first.abort();
  await append();
  await caughtUp();
  expect(await holder()).toBe('b');
  expect(await seen()).toHaveLength(2);
});

test('two projectors that run at once, as after an unnoticed loss of the lease, apply each commit once', async () => {
  const busy = new Set<string>();
  const noting = (who: string): ReadModel => ({
    ...notes,
    apply(tx, commits) {
      busy.add(who);
      return notes.apply(tx, commits);
    },
  });
  // A lease belongs to a holder, so two projectors of the same name both get it.
  startProjector('same', noting('first'));
  startProjector('same', noting('second'));
  const ids: string[] = [];
  while (busy.size < 2 || ids.length < 50) {
    // Both are idle when the next commit comes, so that either can get it.
    ids.push(await append());
    await pause(45);
    expect(ids.length).toBeLessThan(400);
  }
  await caughtUp();
  expect((await seen()).sort()).toEqual(ids.sort());
  expect((await statusOfNotes()).state).toBe('live');
});

test('stops at a bad event, keeps the commits before it, and names it', async () => {
  const good = [await append(), await append()];
  const bad = await append({ causation: 'poison' });
  await append();
  startProjector('a');
  await expect.poll(async () => (await statusOfNotes()).state).toBe('stopped');
  expect(await seen()).toEqual(good);
  const status = await statusOfNotes();
  expect(status.error).toContain(bad);
  expect(status.error).toContain('this commit cannot be taken');
  expect(status.lag.events).toBe(2);
});

test('a version that another instance stopped stays stopped until a projector starts', async () => {
  const first = startProjector('a');
  await caughtUp();
  const { version } = await createVersion(database.pool, notes);
  await noteError(database.pool, 'notes', version, 'stopped elsewhere');
  const error = async () => (await findVersion(database.pool, 'notes', version))?.error;
  await pause(1200);
  expect(await error()).toBe('stopped elsewhere');
  first.abort();
  startProjector('b');
  await expect.poll(error).toBe(null);
});

test('a batch of many items commits in parts, each with its checkpoint', async () => {
  const applied: string[][] = [];
  const held: (readonly string[])[] = [];
  const watched: ReadModel = {
    ...notes,
    async apply(tx, commits) {
      held.push(await seen()); // as other connections see it
      applied.push(commits.map(({ id }) => id));
      await notes.apply(tx, commits);
    },
  };
  const event = customEventsReceived.create({ items: Array.from({ length: 7600 }, () => item) });
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) ids.push(await append({ event }));
  const bad = await append({ event, causation: 'poison' });
  // One batch, however the log would cut it.
  const atOnce: EventLog = {
    ...log,
    async *subscribe(options) {
      const commits: RecordedCommit[] = [];
      for await (const batch of log.subscribe(options)) {
        commits.push(...batch.commits);
        if (commits.length === 4) yield { ...batch, commits };
      }
    },
  };
  startProjector('a', watched, { log: atOnce });
  await expect.poll(async () => (await statusOfNotes()).error).toContain(bad);
  const [first, second, third] = ids;
  // Two parts. The second fails and is applied commit by commit.
  expect(applied).toEqual([[first, second], [third, bad], [third], [bad]]);
  expect(held.map(({ length }) => length)).toEqual([0, 2, 2, 3]);
});

test('an event of an unknown type or version is a bad event', async () => {
  await append({ event: { type: 'custom_events_received', v: 99, data: {} } });
  startProjector('a');
  await expect.poll(async () => (await statusOfNotes()).error).toContain('version 99');
});

test('rebuilds a dropped schema after a start', async () => {
  const id = await append();
  const first = startProjector('a');
  await caughtUp();
  first.abort();
  await running[0]!.done;
  await database.pool.query('DROP SCHEMA notes_v1 CASCADE');
  startProjector('b');
  await caughtUp();
  expect(await seen()).toEqual([id]);
});

test('writes the checkpoint of batches that came while it wrote a checkpoint', async () => {
  let given = 0;
  const watched: EventLog = {
    ...log,
    async *subscribe(options) {
      for await (const batch of log.subscribe(options)) {
        yield batch;
        given++; // The projector asks for the next batch, so it has recorded this one.
      }
    },
  };
  startProjector('a', notes, { log: watched });
  await append();
  await caughtUp();
  const blocker = await database.pool.connect();
  try {
    await blocker.query('BEGIN');
    // A row lock would take a transaction id, which holds back the log's readers; this lock does not.
    await blocker.query('LOCK TABLE notes_v1.checkpoints IN SHARE MODE');
    await appendOther('b1');
    const waiting = `SELECT FROM pg_stat_activity
                      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%UPDATE notes_v1.checkpoints%'`;
    await expect.poll(async () => (await database.pool.query(waiting)).rowCount).toBe(1);
    const before = given;
    await appendOther('b2');
    await expect.poll(() => given).toBeGreaterThan(before);
  } finally {
    await blocker.query('ROLLBACK');
    blocker.release();
  }
  await caughtUp();
});

test('retries a commit after a failed connection, whatever the error', async () => {
  const failures = [
    Object.assign(new Error('connect ENETUNREACH'), { code: 'ENETUNREACH', syscall: 'connect' }),
    Object.assign(new Error('refused'), { code: '28000' }),
    new Error('an unknown error of connections'),
  ];
  let failing: Error[] = [];
  const connect: () => Promise<pg.PoolClient> = database.pool.connect.bind(database.pool);
  const pool: pg.Pool = Object.create(database.pool, {
    query: { value: database.pool.query.bind(database.pool) },
    connect: {
      value: async () => {
        const error = failing.shift();
        if (error !== undefined) throw error;
        return connect();
      },
    },
  });
  startProjector('a', notes, { pool });
  const ids = [await append()];
  await caughtUp();
  for (const failure of failures) {
    failing = [failure];
    ids.push(await append());
    await caughtUp();
    expect(failing).toEqual([]);
  }
  expect((await seen()).sort()).toEqual(ids.sort());
});

test('retries a batch whose statement was cancelled', async () => {
  let attempts = 0;
  const slowOnce: ReadModel = {
    ...notes,
    async apply(tx, commits) {
      if (attempts++ === 0) await tx.query('SELECT pg_sleep(60)');
      await notes.apply(tx, commits);
    },
  };
  startProjector('a', slowOnce);
  const id = await append();
  const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
                   WHERE datname = current_database() AND query = 'SELECT pg_sleep(60)'`;
  await expect.poll(async () => (await database.pool.query(cancel)).rowCount).toBe(1);
  await caughtUp();
  expect(attempts).toBe(2);
  expect(await seen()).toEqual([id]);
});

test('deferred work that is cheaper if done once waits until a new version has all commits', async () => {
  const lazy: ReadModel = {
    ...notes,
    ddl: `${notes.ddl}; CREATE TABLE done_of (n bigint); CREATE VIEW due AS SELECT FROM seen WHERE holder IS NULL`,
    deferredRelation: 'due',
    async idle(tx, behind) {
      const done = `UPDATE seen SET holder = 'done' WHERE holder IS NULL RETURNING 1`;
      if (!behind) await tx.query(`WITH done AS (${done}) INSERT INTO done_of SELECT count(*) FROM done`);
      return false;
    },
  };
  await Promise.all(Array.from({ length: 2500 }, () => append())); // three batches
  startProjector('a', lazy);
  const done = async () => (await database.pool.query('SELECT n::int FROM notes_v1.done_of')).rows;
  await expect.poll(async () => (await findVersion(database.pool, 'notes', 1))?.state).toBe('live');
  await append();
  await expect.poll(done).toEqual([{ n: 2500 }, { n: 1 }]);
});

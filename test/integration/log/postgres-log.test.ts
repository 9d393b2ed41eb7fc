import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decodeCommit } from '../../../src/log/commit-codec.ts';
import {
  BrokenChainError,
  EMPTY_STREAM,
  type EventLog,
  LogUnavailableError,
  type NewCommit,
  OutcomeUnknownError,
  type Position,
} from '../../../src/log/port.ts';
import { openPostgresLog, type PostgresLogOptions } from '../../../src/log/postgres/postgres-log.ts';
import { readPage } from '../../../src/log/postgres/read-pages.ts';
import { keyOf } from '../../../src/log/stream-name.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { ALL_CATEGORIES, ANY_CATEGORIES, newBot, newCommit, readAll } from '../../support/log.ts';

/** The traps of a log on Postgres: each test goes red when the protection named in its description is taken out. */
let database: TestDatabase;
let log: EventLog;
/** A session of another writer. */
let session: pg.Client;
let bot: string;

const open = (changes: Partial<PostgresLogOptions> = {}): Promise<EventLog> =>
  openPostgresLog({ connectionString: database.url, anyCategories: ANY_CATEGORIES, ...changes });

beforeAll(async () => {
  database = await createTestDatabase();
  log = await open();
  session = new pg.Client({ connectionString: database.url });
  await session.connect();
});
afterAll(async () => {
  await session.end();
  await log.close();
  await database.drop();
});
beforeEach(() => {
  bot = newBot();
});

describe('a reader', () => {
  const page = (after: Position | undefined) =>
    readPage(database.pool, decodeCommit, {
      after,
      categories: ALL_CATEGORIES,
      without: [],
      exactOnly: false,
      maxCommits: 100,
      maxBytes: 1 << 20,
    });

  /** The ids of the next `count` commits. The horizon is the whole server's: others' transactions hold it back too. */
  const next = async (after: Position | undefined, count: number): Promise<string[]> => {
    const ids: string[] = [];
    await readUntil(after, ids, count);
    return ids;
  };

  /** Collects ids until there are `count`; returns the position after them. */
  const readUntil = async (
    after: Position | undefined,
    ids: string[],
    count: number,
  ): Promise<Position | undefined> => {
    let at = after;
    while (ids.length < count) {
      const { batch } = await page(at);
      ids.push(...(batch?.commits.map(({ id }) => id) ?? []));
      at = batch?.last ?? at;
    }
    return at;
  };

  it.each(['COMMIT', 'ROLLBACK'])(
    'does not pass a transaction that is still open, whether it ends in %s',
    async (end) => {
      const after = (await log.endCursor()).get(0);
      const early = newCommit(`intake-${newBot()}`);
      await session.query('BEGIN');
      await insert(session, early);
      const late = newCommit(`intake-${bot}`);
      await log.append(late);

      expect(await page(after)).toEqual({ batch: null, blocked: true });
      await session.query(end);
      const readable = end === 'COMMIT' ? [early.id, late.id] : [late.id];
      expect(await next(after, readable.length)).toEqual(readable);
    },
  );

  it('loses none of two transactions whose sequence numbers interleave, and delivers none twice', async () => {
    const after = (await log.endCursor()).get(0);
    const [a1, b1, a2] = [newCommit(`intake-${bot}`), newCommit(`intake-${newBot()}`), newCommit(`intake-${bot}`)];
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    // A is the older transaction, and has the greatest sequence number; B lies between its two.
    await session.query('BEGIN');
    await insert(session, a1);
    await other.query('BEGIN');
    await insert(other, b1);
    await insert(session, a2);
    await session.query('COMMIT');
    const read: string[] = [];
    const at = await readUntil(after, read, 2);
    await other.query('COMMIT');
    await other.end();
    await readUntil(at, read, 3);
    expect(read).toEqual([a1.id, a2.id, b1.id]);
  });

  it('delivers commits below an open transaction, and those above it later and once', async () => {
    const after = (await log.endCursor()).get(0);
    const [below, inside, above] = [1, 2, 3].map(() => newCommit(`intake-${newBot()}`));
    await log.append(below!);
    await session.query('BEGIN');
    await insert(session, inside!);
    await log.append(above!);
    const read: string[] = [];
    const at = await readUntil(after, read, 1);
    expect(read).toEqual([below!.id]);
    await session.query('COMMIT');
    await readUntil(at, read, 3);
    expect(read).toEqual([below!.id, inside!.id, above!.id]);
  });

  it('moves across unwanted commits, page by page, to the end of the log and no further', async () => {
    const after = (await log.endCursor()).get(0);
    const places: Position[] = [];
    for (let i = 0; i < 3; i++) places.push((await log.append(newCommit(`intake-${bot}`))).position);
    const [first, second, third] = places;
    const across = async (from: Position | undefined, maxCommits: number, maxBytes: number) => {
      const unwanted = { categories: ['bot'], without: [], exactOnly: false };
      return (await readPage(database.pool, decodeCommit, { after: from, ...unwanted, maxCommits, maxBytes })).batch;
    };
    const cut = { partition: 0, commits: [], hasMore: true };
    const complete = { ...cut, hasMore: false };
    await expect.poll(() => across(after, 4, 1 << 20)).toEqual({ ...complete, last: third });
    expect(await across(after, 2, 1 << 20)).toEqual({ ...cut, last: second });
    expect(await across(after, 9, 1)).toEqual({ ...cut, last: first });
    expect(await across(second, 9, 1)).toEqual({ ...complete, last: third });
    expect(await across(third, 2, 1 << 20)).toBeNull();
  });

  it('does not read the whole log for a page', async () => {
    const long = await createTestDatabase();
    const opened = await open({ connectionString: long.url });
    const one = new pg.Pool({ connectionString: long.url, max: 1 }).on('error', () => {}); // tells its counts at once
    try {
      await opened.append(newCommit(`intake-${bot}`));
      await one.query(`INSERT INTO log.commits (id, stream, body)
        SELECT gen_random_uuid(), stream, body FROM log.commits, generate_series(1, 20000)`);
      await one.query('ANALYZE log.commits');
      const read = async (): Promise<number> => {
        await one.query('SELECT pg_stat_force_next_flush()');
        const counted = `SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_user_tables WHERE relname = 'commits'`;
        return Number((await one.query<{ rows: string }>(counted)).rows[0]!.rows);
      };
      const options = { categories: ALL_CATEGORIES, without: ['Other'], maxCommits: 10, maxBytes: 1 << 20 };
      const first = () => readPage(one, decodeCommit, { ...options, after: undefined, exactOnly: false });
      // While a transaction that is older is open, in whichever database of the server, a reader is shown nothing.
      await expect.poll(async () => (await first()).batch).not.toBeNull();
      const before = await read();
      const { batch } = await first();
      await readPage(one, decodeCommit, { ...options, after: batch?.last, exactOnly: true });
      expect(batch?.commits).toHaveLength(10);
      expect((await read()) - before).toBeLessThan(100);
    } finally {
      await one.end();
      await opened.close();
      await long.drop();
    }
  });

  it('reads commits that were appended before such a transaction', async () => {
    const after = (await log.endCursor()).get(0);
    const before = newCommit(`intake-${bot}`);
    await log.append(before);
    await session.query('BEGIN');
    await insert(session, newCommit(`intake-${newBot()}`));
    expect(await next(after, 1)).toEqual([before.id]);
    await session.query('ROLLBACK');
  });
});

describe('a writer', () => {
  it.each([
    ['bot', { revision: 1 }],
    ['intake', null],
  ])(
    'takes the lock of the bot before it has a transaction id, so that ids are in the order of commits: %s',
    async (category, head) => {
      await holdLock(bot);
      const appending = log.append(newCommit(`${category}-${bot}`));
      expect((await waitingForLock()).backend_xid).toBeNull();
      await releaseLock(bot);
      expect(await appending).toMatchObject({ head, repeated: null });
    },
  );

  it('does not wait for another bot', async () => {
    await holdLock(newBot());
    await log.append(newCommit(`bot-${bot}`));
    await session.query('SELECT pg_advisory_unlock_all()');
  });

  it('appends once though its connection was cut and the statement sent again', async () => {
    await holdLock(bot);
    const commit = newCommit(`bot-${bot}`, { command: { id: randomUUID() } });
    const appending = log.append(commit);
    const { pid } = await waitingForLock();
    await database.pool.query('SELECT pg_terminate_backend($1)', [pid]);
    await releaseLock(bot);
    expect(await appending).toMatchObject({ head: { revision: 1 }, repeated: null });
    expect((await log.read(commit.stream)).commits.map(({ id }) => id)).toEqual([commit.id]);
  });

  it('appends intake once though its connection was cut and the statement sent again', async () => {
    await holdLock(bot);
    const commits = [newCommit(`intake-${bot}`), newCommit(`intake-${bot}`)];
    const appending = Promise.all(commits.map((commit) => log.append(commit)));
    const { pid } = await waitingForLock();
    await database.pool.query('SELECT pg_terminate_backend($1)', [pid]);
    await releaseLock(bot);
    expect(await appending).toMatchObject([{ repeated: null }, { repeated: null }]);
    expect(await idsOf(bot)).toEqual(commits.map(({ id }) => id));
  });

  it('appends the new commits of a group though the log has another one of it', async () => {
    const known = newCommit(`intake-${bot}`);
    const { position } = await log.append(known);
    const [before, after] = [newCommit(`intake-${bot}`), newCommit(`intake-${bot}`)];
    const group = await Promise.all([before, known, after].map((commit) => log.append(commit)));
    expect(group).toMatchObject([{ repeated: null }, { position, repeated: { id: known.id } }, { repeated: null }]);
    expect(await idsOf(bot)).toEqual([known.id, before!.id, after!.id]);
  });

  it('gives up each append at its own deadline, in any order of arrival', async () => {
    const patient = await open({ maxWaitMs: 600_000 });
    await holdLock(bot);
    const soon = () => ({ deadline: performance.now() + 1000 });
    const unknown = expect(patient.append(newCommit(`bot-${bot}`), soon())).rejects.toThrow(OutcomeUnknownError);
    await waitingForLock();
    const later = patient.append(newCommit(`intake-${bot}`));
    await expect(patient.append(newCommit(`intake-${bot}`), soon())).rejects.toThrow(LogUnavailableError);
    await unknown;
    await releaseLock(bot);
    expect((await later).repeated).toBeNull();
    await patient.close();
  });

  it('says unknown of a sent append and unavailable of an unsent one, and a retry changes nothing', async () => {
    const impatient = await open({ maxWaitMs: 300, maxQueuedBytes: 10_000 });
    await holdLock(bot);
    const sent = newCommit(`bot-${bot}`);
    const unknown = expect(impatient.append(sent)).rejects.toThrow(OutcomeUnknownError);
    await waitingForLock();
    const queued = newCommit(`intake-${bot}`);
    const unavailable = expect(impatient.append(queued)).rejects.toThrow(LogUnavailableError);
    const large = newCommit(`intake-${bot}`, { events: [{ type: 'Happened', v: 1, data: 'x'.repeat(10_000) }] });
    await expect(impatient.append(large)).rejects.toThrow(LogUnavailableError);
    await Promise.all([unknown, unavailable]);
    await releaseLock(bot);
    await impatient.close();

    expect((await log.append(sent)).repeated).toMatchObject({ id: sent.id });
    expect(await idsOf(bot)).toEqual([sent.id]);
  });
});

describe('the database itself', () => {
  it('sends no NOTIFY inside the append: it would serialise all commits of a server', async () => {
    const { rows } = await database.pool.query<{ text: string }>(
      `SELECT prosrc AS text FROM pg_proc WHERE pronamespace = 'log'::regnamespace`,
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ text }) => /notify/i.test(text))).toEqual([]);
  });

  it.each(['UPDATE log.commits SET body = body', 'DELETE FROM log.commits', 'TRUNCATE log.commits'])(
    'refuses to change the log: %s',
    async (statement) => {
      await log.append(newCommit(`bot-${bot}`));
      await expect(session.query(statement)).rejects.toMatchObject({ code: '42501' });
    },
  );
});

describe('an exact stream that was tampered with', () => {
  const tamper = async (statement: string): Promise<void> => {
    await session.query('ALTER TABLE log.commits DISABLE TRIGGER append_only');
    await session.query('GRANT UPDATE, DELETE ON log.commits TO CURRENT_USER');
    await session.query(statement, [`bot-${bot}`]);
    await session.query('REVOKE UPDATE, DELETE ON log.commits FROM CURRENT_USER');
    await session.query('ALTER TABLE log.commits ENABLE TRIGGER append_only');
  };

  it.each([
    [
      'a changed event',
      `UPDATE log.commits SET body = replace(body, '"n":1', '"n":2') WHERE stream = $1 AND revision = 2`,
    ],
    [
      'a changed last event',
      `UPDATE log.commits SET body = replace(body, '"n":1', '"n":2') WHERE stream = $1 AND revision = 3`,
    ],
    ['a missing commit', 'DELETE FROM log.commits WHERE stream = $1 AND revision = 2'],
    ['a missing last commit', 'DELETE FROM log.commits WHERE stream = $1 AND revision = 3'],
    ['all of it missing', 'DELETE FROM log.commits WHERE stream = $1'],
  ])('is not read: %s', async (_, statement) => {
    const stream = `bot-${bot}`;
    for (let revision = 0; revision < 3; revision++)
      await log.append(newCommit(stream, { expected: (await log.read(stream)).head }));
    await tamper(statement);
    await expect(log.read(stream, EMPTY_STREAM)).rejects.toThrow(BrokenChainError);
  });
});

/** The ids of the bot's commits, in the order of the log. */
async function idsOf(key: string): Promise<string[]> {
  return (await readAll(log)).filter(({ stream }) => keyOf(stream) === key).map(({ id }) => id);
}

/** Appends as another writer's statement does, in whatever transaction the client is in. */
async function insert(client: pg.Client, commit: NewCommit): Promise<void> {
  await client.query('INSERT INTO log.commits (id, stream, body) VALUES ($1, $2, $3)', [
    commit.id,
    commit.stream,
    JSON.stringify({ ...commit, rev: null, prev: null, expected: undefined }),
  ]);
}

const holdLock = (key: string): Promise<unknown> =>
  session.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [key]);
const releaseLock = (key: string): Promise<unknown> =>
  session.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [key]);

/** The backend that waits for an advisory lock, as soon as one does. */
async function waitingForLock(): Promise<{ pid: number; backend_xid: string | null }> {
  for (;;) {
    const { rows } = await database.pool.query<{ pid: number; backend_xid: string | null }>(
      `SELECT pid, backend_xid::text FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event = 'advisory'`,
    );
    if (rows[0] !== undefined) return rows[0];
  }
}

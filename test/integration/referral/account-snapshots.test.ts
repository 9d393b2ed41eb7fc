import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../../src/commands/decide-and-append.ts';
import { type Accounts, createAccounts as createWith } from '../../../src/commands/referral/accounts.ts';
import { accrueRewards, reverseAccrual } from '../../../src/commands/referral/accruals.ts';
import { auditAccount } from '../../../src/commands/referral/audit-account.ts';
import { requestPayout } from '../../../src/commands/referral/payouts.ts';
import { migrateRuntimeSchema } from '../../../src/database/runtime-schema.ts';
import { openSnapshots } from '../../../src/database/snapshot-store.ts';
import { encodeAccount, SNAPSHOT_VERSION } from '../../../src/domain/referral/account/snapshot.ts';
import { accountStream } from '../../../src/domain/streams.ts';
import type { EventLog } from '../../../src/log/port.ts';
import { openPostgresLog } from '../../../src/log/postgres/postgres-log.ts';
import { item } from '../../support/account-samples.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { ANY_CATEGORIES } from '../../support/log.ts';
import { testSources } from '../../support/test-sources.ts';

/** Snapshots of long accounts in the database, with a log in the same database. */

const KEY = { bot: 'bPublic', userId: 1 };
const STREAM = accountStream(KEY.bot, KEY.userId);
const ITEMS = 50;
/** Fewer than in the service, so that the tests are short. */
const SNAPSHOT_EVENTS = 500;
const createAccounts = (given: CommandContext): Accounts => createWith(given, undefined, SNAPSHOT_EVENTS);

let database: TestDatabase;
let log: EventLog;
let context: CommandContext;
const notes: string[] = [];
/** From which revision the account was read, each time. */
const reads: number[] = [];
let nextEvent = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  const { pool } = database;
  await migrateRuntimeSchema(pool);
  log = await openPostgresLog({ connectionString: database.url, anyCategories: ANY_CATEGORIES });
  const watched: EventLog = {
    ...log,
    read(stream, from, atMost) {
      if (stream === STREAM) reads.push(from?.revision ?? 0);
      return log.read(stream, from, atMost);
    },
  };
  const snapshots = openSnapshots(pool, (error) => void notes.push(error.message));
  context = { log: watched, sources: testSources(), snapshots };
  // An instance that has read so many events saves a snapshot.
  await earn(createAccounts(context), SNAPSHOT_EVENTS + ITEMS);
});
afterAll(async () => {
  await log.close();
  await database.drop();
});
beforeEach(() => {
  reads.length = 0;
  notes.length = 0;
});

async function earn(accounts: Accounts, count: number): Promise<void> {
  for (let done = 0; done < count; done += ITEMS)
    await accrueRewards(accounts, {
      bot: KEY.bot,
      referrer: KEY.userId,
      items: Array.from({ length: Math.min(ITEMS, count - done) }, () => item(nextEvent++)),
    });
}

const rows = async <Row extends object>(text: string): Promise<Row[]> => (await database.pool.query<Row>(text)).rows;

/** Long enough for a busy machine. */
const PATIENT = { timeout: 20_000 };

async function savedRevision(): Promise<number> {
  return (await rows<{ revision: number }>('SELECT revision FROM runtime.snapshots'))[0]?.revision ?? 0;
}

/** Resolves when the snapshot is of this revision or a later one. @returns its revision */
async function savedFrom(revision: number): Promise<number> {
  await expect.poll(savedRevision, PATIENT).toBeGreaterThanOrEqual(revision);
  return savedRevision();
}

const stateOf = (given: CommandContext) =>
  createAccounts(given).view(KEY, (state) => Buffer.from(encodeAccount(state)).toString('base64'));
/** The state that the log alone gives, by the hash of its last commit. */
const known = new Map<string, string>();
async function fromLog(): Promise<string> {
  const { hash } = (await log.streamHeads([STREAM])).get(STREAM)!;
  const state = known.get(hash) ?? (await stateOf({ log, sources: context.sources }));
  known.set(hash, state);
  return state;
}

/** The account equals that of the log alone, and its snapshot was used, or was not. */
async function expectRead(from: 'its snapshot' | 'its first commit'): Promise<void> {
  reads.length = 0;
  const read = await stateOf(context);
  expect(reads.includes(0)).toBe(from === 'its first commit');
  expect(read === (await fromLog())).toBe(true);
}

describe('the snapshot of a long account', () => {
  it('is read by another instance, which reads on from its commit', async () => {
    const revision = await savedFrom(1);
    reads.length = 0;
    const other = createAccounts(context);
    await earn(other, 3);
    // Verified against the commit that it ends with.
    expect(reads.slice(0, 2)).toEqual([revision - 1, revision]);
    await expectRead('its snapshot');
    expect(notes).toEqual([]);
  });

  it('knows what has earned, and which payout has an accrual', async () => {
    const head = (await log.streamHeads([STREAM])).get(STREAM)!;
    const again = createAccounts(context);
    await accrueRewards(again, { bot: KEY.bot, referrer: KEY.userId, items: [item(0), item(nextEvent - 1)] });
    expect((await log.streamHeads([STREAM])).get(STREAM)).toEqual(head);
    const { payout_id } = await requestPayout(again, { ...KEY, unit_id: 1, method: 'manual', initiated_by: 'api' });
    await reverseAccrual(createAccounts(context), { ...KEY, accrualId: 1, reason: null });
    const taken = await createAccounts(context).view(KEY, ({ accruals }) => accruals.get(1));
    expect(taken).toMatchObject({ state: 'cancelled', payout_id });
    await expectRead('its snapshot');
  });

  it('is replaced when enough has come, by whichever instance is later', async () => {
    const before = await savedFrom(1);
    const [first, second] = [createAccounts(context), createAccounts(context)];
    await Promise.all([earn(first, SNAPSHOT_EVENTS), earn(second, ITEMS)]);
    const after = await savedFrom(before + 1);
    await Promise.all([fromLog(), expectRead('its snapshot')]);
    expect(after).toBeGreaterThan(before);
    expect(await rows('SELECT FROM runtime.snapshots')).toHaveLength(1);
    const parts = `SELECT FROM runtime.snapshot_parts WHERE id NOT IN (SELECT id FROM runtime.snapshots)`;
    await expect.poll(() => rows(parts), PATIENT).toEqual([]);
  });

  it.each<[string, string]>([
    [
      'with a changed byte',
      'UPDATE runtime.snapshot_parts SET bytes = set_byte(bytes, 5000, get_byte(bytes, 5000) # 1)',
    ],
    ['cut short', 'UPDATE runtime.snapshot_parts SET bytes = substr(bytes, 1, 5000)'],
    ['without its parts', 'DELETE FROM runtime.snapshot_parts'],
    ['of another log', `UPDATE runtime.snapshots SET hash = repeat('ab', 32)`],
    ['of another commit', 'UPDATE runtime.snapshots SET revision = revision - 1'],
    ['ahead of a log that was restored', 'UPDATE runtime.snapshots SET revision = 100000'],
  ])('is dropped and made again if it is %s', async (_what, change) => {
    await savedFrom(1);
    await database.pool.query(change);
    await expectRead('its first commit');
    await savedFrom(1);
    await expectRead('its snapshot');
  });

  it('is compared with the account by an audit, also if its checksum was forged', async () => {
    const audited = async () =>
      (await auditAccount(log, STREAM, async () => new Map(), { revision: 0, now: 0 }, context.snapshots))
        .wrongSnapshot;
    const revision = await savedFrom(1);
    expect(await audited()).toBe(null);
    await database.pool.query(
      'UPDATE runtime.snapshot_parts SET bytes = set_byte(bytes, 5000, get_byte(bytes, 5000) # 1)',
    );
    await database.pool.query(
      `UPDATE runtime.snapshots SET checksum = sha256((SELECT string_agg(bytes, '' ORDER BY part) FROM runtime.snapshot_parts))`,
    );
    expect(await audited()).toBe(revision);
    await database.pool.query('DELETE FROM runtime.snapshots');
    expect(await audited()).toBe(null);
    await expectRead('its first commit');
    await savedFrom(1);
  });

  it('is not used by a program of another version, which makes its own', async () => {
    await database.pool.query('UPDATE runtime.snapshots SET version = $1', [SNAPSHOT_VERSION - 1]);
    await expectRead('its first commit');
    await expect
      .poll(() => rows('SELECT version FROM runtime.snapshots'), PATIENT)
      .toEqual([{ version: SNAPSHOT_VERSION }]);
    await expectRead('its snapshot');
  });

  it('may be missing at any moment: a program that was killed while it saved, or a dropped table row', async () => {
    const { revision } = (await rows<{ revision: number }>('DELETE FROM runtime.snapshots RETURNING revision'))[0]!;
    // A kill leaves parts of which no snapshot says that they are whole.
    await database.pool.query(
      `INSERT INTO runtime.snapshot_parts (id, part, bytes, written_at) VALUES (0, 0, 'left', now() - interval '2 hours'),
         (-1, 0, 'being written', now())`,
    );
    await expectRead('its first commit');
    await savedFrom(revision);
    const others = 'SELECT id::int FROM runtime.snapshot_parts WHERE id < 1';
    await expect.poll(() => rows(others), PATIENT).toEqual([{ id: -1 }]);
    await database.pool.query('DELETE FROM runtime.snapshot_parts WHERE id < 1');
  });

  it('is passed over if its table does not answer', async () => {
    await database.pool.query('ALTER TABLE runtime.snapshots RENAME TO away');
    try {
      expect((await stateOf(context)) === (await fromLog())).toBe(true);
      expect(notes).toContain('failed to use a snapshot');
    } finally {
      await database.pool.query('ALTER TABLE runtime.away RENAME TO snapshots');
    }
    await expectRead('its snapshot');
  });
});

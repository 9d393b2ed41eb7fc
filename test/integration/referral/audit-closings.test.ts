import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../../src/commands/decide-and-append.ts';
import { createAccounts } from '../../../src/commands/referral/accounts.ts';
import { accrueRewards } from '../../../src/commands/referral/accrue-rewards.ts';
import { auditAccount } from '../../../src/commands/referral/audit-account.ts';
import { booksClosed } from '../../../src/domain/referral/books-events.ts';
import { booksStream } from '../../../src/domain/streams.ts';
import { BrokenChainError, type EventLog } from '../../../src/log/port.ts';
import { openPostgresLog } from '../../../src/log/postgres/postgres-log.ts';
import { item } from '../../support/account-samples.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { ANY_CATEGORIES, appendOnTop, newBot, newCommit } from '../../support/log.ts';
import { findings } from '../../support/log-audit.ts';
import { testSources } from '../../support/test-sources.ts';

/** Closings that the owner of the database has changed, or that a program has appended wrongly. */

const WEIGHT = 10;

let database: TestDatabase;
let log: EventLog;
let context: CommandContext;
let key: { readonly bot: string; readonly userId: number };
let stream: string;
beforeAll(async () => {
  database = await createTestDatabase();
  log = await openPostgresLog({ connectionString: database.url, anyCategories: ANY_CATEGORIES });
  context = { log, sources: testSources() };
  await database.pool.query('ALTER TABLE log.commits DISABLE TRIGGER append_only');
  await database.pool.query('GRANT UPDATE ON log.commits TO CURRENT_USER');
});
afterAll(async () => {
  await log.close();
  await database.drop();
});

/** An account with three closings. */
beforeEach(async () => {
  key = { bot: newBot(), userId: 1 };
  stream = booksStream(key.bot, key.userId);
  const accounts = createAccounts(context, undefined, WEIGHT);
  for (let from = 0; from < 40; from += 10) {
    const items = Array.from({ length: 10 }, (_, index) => item(from + index, { rule: { hold_days: '9' } }));
    await accrueRewards(accounts, { bot: key.bot, referrer: key.userId, items });
  }
});

const problems = async () => (await auditAccount(log, key, async () => new Map(), { revision: 0, now: 0 })).problems;
const decide = () => createAccounts(context, undefined, WEIGHT).view(key, ({ clock }) => clock);

/** Changes the body of a closing. */
async function change(revision: number, from: string, to: string): Promise<void> {
  const { rowCount } = await database.pool.query(
    'UPDATE log.commits SET body = replace(body, $3, $4) WHERE stream = $1 AND revision = $2 AND strpos(body, $3) > 0',
    [stream, revision, from, to],
  );
  expect(rowCount).toBe(1);
}

/** Computes every hash of the stream again, as a person must who changes a commit unseen. */
async function chainAgain(): Promise<void> {
  const { pool } = database;
  const { rows } = await pool.query<{ revision: number; body: string }>(
    'SELECT revision, body FROM log.commits WHERE stream = $1 ORDER BY revision',
    [stream],
  );
  let hash = '';
  for (const { revision, body } of rows) {
    const chained = body.replace(/"prev":"[0-9a-f]*"/, `"prev":"${hash}"`);
    hash = createHash('sha256').update(chained).digest('hex');
    await pool.query('UPDATE log.commits SET body = $3 WHERE stream = $1 AND revision = $2', [
      stream,
      revision,
      chained,
    ]);
  }
  await pool.query('UPDATE log.streams SET hash = $2 WHERE stream = $1', [stream, hash]);
}

describe('an audit', () => {
  it('finds nothing in closings that equal the account', async () => {
    expect((await log.read(stream)).commits).toHaveLength(3);
    expect(await problems()).toEqual([]);
    expect(await findings(log, database.pool, key.bot)).toEqual([]);
  });

  it('finds a closing that was changed by its chain, and the next decision refuses to start from it', async () => {
    await change(2, '"held":"100"', '"held":"900"');
    expect(await findings(log, database.pool, key.bot)).toMatchObject([{ kind: 'chain', stream, revision: 3 }]);
    await expect(problems()).rejects.toBeInstanceOf(BrokenChainError);
    await expect(decide()).rejects.toBeInstanceOf(BrokenChainError);
  });

  it.each<[string, string, string, string]>([
    ['a sum', '"held":"100"', '"held":"900"', 'units'],
    ['the number of accruals', '"count":20', '"count":21', 'count'],
    ['an amount on hold', '"amounts":["50"]', '"amounts":["5"]', 'holds'],
    ['a cancelled accrual', '"cancelled":[]', '"cancelled":[3]', 'cancelled'],
    ['a rate', '"amount":"5"', '"amount":"6"', 'locks'],
  ])('finds %s that was changed in a closing whose chain was made again', async (_what, from, to, name) => {
    await change(2, from, to);
    await chainAgain();
    expect(await findings(log, database.pool, key.bot)).toEqual([]);
    expect(await problems()).toEqual([
      { stream, revision: 2, message: `the closing of revision 2 differs from the account: ${name}` },
    ]);
  });

  it('finds changes by which a reward could be earned again, or an accrual be found no more', async () => {
    const [, second] = (await log.read(stream)).commits;
    const { earned, ids } = booksClosed.read(second!.events[0]!).data;
    await change(2, earned, Buffer.from(earned, 'base64').fill(7, 0, 6).toString('base64'));
    await change(2, `"ids":${JSON.stringify(ids)}`, `"ids":${JSON.stringify([ids![0] + 1, ids![1]])}`);
    await chainAgain();
    expect(await problems()).toMatchObject([{ stream, revision: 2, message: expect.stringMatching(/: ids, earned$/) }]);
  });

  it('finds a closing of another commit, and the next decision refuses to start from it', async () => {
    const { commits } = await log.read(stream);
    const hash = booksClosed.read(commits[2]!.events[0]!).data.hash;
    await change(3, hash, 'ab'.repeat(32));
    await chainAgain();
    expect(await problems()).toMatchObject([{ stream, revision: 3, message: expect.stringMatching(/: hash$/) }]);
    await expect(decide()).rejects.toBeInstanceOf(BrokenChainError);
  });

  it('finds a closing that was appended twice, and one of a commit that the account does not have', async () => {
    const { commits } = await log.read(stream);
    const last = booksClosed.read(commits[2]!.events[0]!).data;
    await appendOnTop(log, { ...newCommit(stream), events: [booksClosed.create(last)] });
    await appendOnTop(log, { ...newCommit(stream), events: [booksClosed.create({ ...last, revision: 9 })] });
    expect(await problems()).toEqual([
      { stream, revision: 4, message: 'the closing of revision 3 comes after one of that revision or a later one' },
      { stream, revision: 5, message: 'it closes revision 9, which the account does not have' },
    ]);
  });
});

import { afterEach, beforeEach, expect, it } from 'vitest';
import { auditTrees } from '../../../src/administration/proof/audit-trees.ts';
import { ANY_CATEGORIES, accountStream, intakeStream } from '../../../src/domain/streams.ts';
import { hashBody } from '../../../src/log/commit-codec.ts';
import type { EventLog } from '../../../src/log/port.ts';
import { openPostgresLog } from '../../../src/log/postgres/postgres-log.ts';
import { migrateProofSchema } from '../../../src/queries/proof/proof-schema.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { appendOnTop, newCommit } from '../../support/log.ts';
import { findings as findingsOfLog } from '../../support/log-audit.ts';
import { longOnly } from '../../support/long-only.ts';
import { type ProofFollower, proofFollower } from '../../support/proof-follower.ts';

/** A person who owns the database changes the log in ways that its chains do not show. */

let database: TestDatabase;
let log: EventLog;
let follower: ProofFollower;
const account = accountStream('b1', 42);
const intake = intakeStream('b1');

beforeEach(async () => {
  database = await createTestDatabase();
  log = await openPostgresLog({ connectionString: database.url, anyCategories: ANY_CATEGORIES });
  follower = await proofFollower(database);
  const stop = follower.start(log);
  for (let round = 1; round <= 3; round++) {
    for (let i = 0; i < 4; i++) await log.append(newCommit(intake));
    await appendOnTop(log, newCommit(account));
    await follower.checkpointOver(log);
  }
  await stop();
});
afterEach(async () => {
  await follower.close();
  await log.close();
  await database.drop();
});

async function findings(): Promise<[number, string][]> {
  const options = { log, keys: follower.keys, signal: new AbortController().signal, onProgress: () => {} };
  const found: [number, string][] = [];
  for await (const { revision, message } of auditTrees(options)) found.push([revision, message]);
  return found;
}

async function tamper(...statements: string[]): Promise<void> {
  const session = await database.pool.connect();
  try {
    await session.query('ALTER TABLE log.commits DISABLE TRIGGER append_only');
    await session.query('GRANT UPDATE, DELETE ON log.commits TO CURRENT_USER');
    for (const statement of statements) await session.query(statement);
  } finally {
    session.release();
  }
}

/** The text of the nth commit of a stream, and its key in the table. */
async function commitAt(stream: string, n: number): Promise<{ seq: string; body: string }> {
  const { rows } = await database.pool.query<{ seq: string; body: string }>(
    'SELECT seq, body FROM log.commits WHERE stream = $1 ORDER BY txid, seq OFFSET $2 LIMIT 1',
    [stream, n],
  );
  return rows[0]!;
}

it('finds nothing in an unchanged log', async () => {
  expect(await findings()).toEqual([]);
});

it('finds a changed byte of intake, and names the first checkpoint that signed it', async () => {
  const { seq } = await commitAt(intake, 5);
  await tamper(`UPDATE log.commits SET body = replace(body, '"n":1', '"n":2') WHERE seq = ${seq}`);
  expect(await findingsOfLog(log, database.pool)).toEqual([]);
  expect(await findings()).toEqual([
    [2, expect.stringMatching(/^the log has other commits among the first \d+ of partition 0/)],
  ]);
});

it('finds intake that was dropped, swapped or inserted', async () => {
  const [one, other] = [await commitAt(intake, 1), await commitAt(intake, 2)];
  await tamper(
    `UPDATE log.commits SET body = (SELECT body FROM log.commits WHERE seq = ${other.seq}) WHERE seq = ${one.seq}`,
  );
  expect((await findings())[0]).toEqual([1, expect.stringContaining('other commits')]);
  await tamper(`DELETE FROM log.commits WHERE seq = ${one.seq}`);
  expect((await findings())[0]).toEqual([1, expect.stringContaining('other commits')]);
});

longOnly('finds an end that was rewritten with its hash and head, and no process signs above it', async () => {
  const { seq, body } = await commitAt(account, 2);
  const changed = body.replace('"n":1', '"n":100');
  await tamper(
    `UPDATE log.commits SET body = '${changed}' WHERE seq = ${seq}`,
    `UPDATE log.streams SET hash = '${hashBody(changed)}' WHERE stream = '${account}'`,
  );
  expect(await findingsOfLog(log, database.pool)).toEqual([]);
  expect(await findings()).toEqual([[3, expect.stringContaining('other commits')]]);

  await database.pool.query('DROP SCHEMA proof CASCADE');
  await migrateProofSchema(database.pool);
  follower.start(log);
  await expect
    .poll(() => follower.errors[0])
    .toBe('the log does not have what checkpoint 3 signs: the tree of partition 0 differs');
});

longOnly('finds an account that was left out with all its commits', async () => {
  await tamper(
    `DELETE FROM log.commits WHERE stream = '${account}'`,
    `DELETE FROM log.streams WHERE stream = '${account}'`,
  );
  const found = (await findings()).map(([, message]) => message);
  expect(found).toContain('the map of accounts is not the one that was signed');
  expect(found.some((message) => message.includes('signed commits of partition 0'))).toBe(true);
});

longOnly('finds a checkpoint whose entry was changed', async () => {
  const { seq, body } = await commitAt('proof-global', 1);
  await tamper(`UPDATE log.commits SET body = '${body.replace('map 1 ', 'map 2 ')}' WHERE seq = ${seq}`);
  expect(await findings()).toEqual([[3, expect.stringContaining('does not name its predecessor')]]);
  const last = await commitAt('proof-global', 2);
  await tamper(
    `UPDATE log.commits SET body = '${body}' WHERE seq = ${seq}`,
    `UPDATE log.commits SET body = '${last.body.replace('map 1 ', 'map 2 ')}' WHERE seq = ${last.seq}`,
    `UPDATE log.streams SET hash = '${hashBody(last.body.replace('map 1 ', 'map 2 '))}' WHERE stream = 'proof-global'`,
  );
  expect(await findings()).toEqual([[3, 'the checkpoint does not sign the entries up to it']]);
});

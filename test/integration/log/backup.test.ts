import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BackedUp, restore } from '../../../src/log/backup.ts';
import { openPostgresLog } from '../../../src/log/postgres/postgres-log.ts';
import { allAnswers, answersOf, type FilledBots, fillService } from '../../support/all-answers.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { ALL_CATEGORIES, ANY_CATEGORIES, readAll } from '../../support/log.ts';
import { botledger, operate } from '../../support/operate.ts';
import { startTestService, type TestService } from '../../support/service.ts';

/** A log that is restored from a backup file equals the original log. */

let folder: string;
let file: string;
let service: TestService;
let filled: FilledBots;
let database: TestDatabase;
/** The answer of the backup command. */
let made: BackedUp;
/** The service's environment with an empty database. */
let empty: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backup-'));
  file = join(folder, 'log.gz');
  service = await startTestService();
  filled = await fillService(service);
  database = await createTestDatabase();
  empty = { ...service.env, DATABASE_URL: database.url };
  made = await operate(service.env, ['backup', file]);
});
afterAll(async () => {
  await service.stop();
  await database.drop();
  await rm(folder, { recursive: true });
});

const lines = async (): Promise<string[]> =>
  gunzipSync(await readFile(file))
    .toString('utf8')
    .split('\n');

test('holds every commit and key, only its owner may read it, and no other file is left', async () => {
  expect(made).toMatchObject({ commits: expect.any(Number), hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(made.commits).toBeGreaterThan(20);
  expect(made.keys).toBeGreaterThan(2);
  expect((await lines()).length - 1).toBe(1 + made.commits + made.keys + 1);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['log.gz']);
});

test('does not overwrite a file', async () => {
  const before = await readFile(file);
  expect(await botledger(service.env, ['backup', file])).toMatchObject({
    code: 1,
    err: expect.stringContaining('exists'),
  });
  expect(await readFile(file)).toEqual(before);
});

test('is refused, with no file, for an empty log', async () => {
  const path = join(folder, 'empty.gz');
  expect(await botledger(empty, ['backup', path])).toMatchObject({
    code: 1,
    err: `botledger: the log is empty: ${path} was not written\n`,
  });
  expect(await readdir(folder)).toEqual(['log.gz']);
});

test('is refused when it is incomplete or altered, and the log stays empty', async () => {
  const whole = await readFile(file);
  const flipped = Buffer.from(whole);
  flipped[whole.length >> 1]! ^= 1;
  const all = await lines();
  const bad: Record<string, Buffer> = {
    cut: whole.subarray(0, whole.length - 100),
    flipped,
    withoutEnd: gzipSync(`${all.slice(0, -2).join('\n')}\n`),
    withoutACommit: gzipSync(all.toSpliced(2, 1).join('\n')),
    anotherEvent: gzipSync(all.join('\n').replace('ordered', 'orderee')),
    anotherVersion: gzipSync(all.join('\n').replace('"version":1', '"version":2')),
    notPacked: Buffer.from(all.join('\n')),
  };
  for (const [name, bytes] of Object.entries(bad)) {
    const path = join(folder, name);
    await writeFile(path, bytes);
    const { code, err } = await botledger(empty, ['restore', path]);
    expect([name, code, err]).toEqual([
      name,
      1,
      expect.stringMatching(/not whole|altered|is no backup|no gzip|in line \d+/),
    ]);
  }
  const log = await openPostgresLog({ connectionString: database.url, anyCategories: ANY_CATEGORIES });
  expect(await readAll(log)).toEqual([]);
  await log.close();
});

test('is refused while the service runs, and by a log that is not empty', async () => {
  expect(await botledger(service.env, ['restore', file])).toMatchObject({
    code: 1,
    err: expect.stringContaining('stop it first'),
  });
  const other = await createTestDatabase();
  const env = { ...empty, DATABASE_URL: other.url };
  await operate(env, ['owner', 'create', '--name', 'Another']);
  expect(await botledger(env, ['restore', file])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/lacks: restore into.*demo owner/),
  });
  expect(await operate(env, ['owner', 'list'])).toHaveLength(1);
  await other.drop();
});

test('is restored, also after an interruption, and every answer is the same as before, names included', async () => {
  const before = await allAnswers(service.address, filled);
  const log = await openPostgresLog({ connectionString: database.url, anyCategories: ANY_CATEGORIES });
  const interrupt = new AbortController();
  const append: typeof log.append = (commit) => {
    if (commit.stream.startsWith('intake-')) throw new Error('interrupted');
    return log.append(commit);
  };
  const options = { file, categories: ALL_CATEGORIES, signal: interrupt.signal, onProgress: () => {} };
  await expect(restore({ ...options, to: { ...log, append } })).rejects.toThrow('interrupted');
  expect((await readAll(log)).length).toBeGreaterThan(0);
  await log.close();

  expect(await operate(empty, ['restore', file])).toEqual(made);
  expect(await operate(empty, ['restore', file]), 'again').toEqual(made);
  const again = await operate(empty, ['backup', join(folder, 'again.gz')]);
  // The restore itself is in the restored log: from then on, new ids are above the lost ones.
  expect(again).toEqual({ ...made, commits: made.commits + 1, events: made.events + 1, hash: expect.any(String) });
  await service.restart(async () => {
    expect(await answersOf(empty, filled)).toEqual(before);
  });
  const names = await namesIn(service.database);
  expect(
    names.some(({ first_name }) => first_name !== null),
    'sealed in the log',
  ).toBe(true);
  expect(await namesIn(database)).toEqual(names);
});

async function namesIn({ pool }: TestDatabase): Promise<{ first_name: string | null }[]> {
  const { rows } = await pool.query('SELECT first_name FROM users_v1.users ORDER BY bot_id, user_id');
  return rows;
}

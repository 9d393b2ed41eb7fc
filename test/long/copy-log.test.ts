import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { copyLog } from '../../src/log/copy.ts';
import { EMPTY_STREAM, type EventLog, type StreamHead } from '../../src/log/port.ts';
import { openPostgresLog } from '../../src/log/postgres/postgres-log.ts';
import { allAnswers, answersOf, fillService } from '../support/all-answers.ts';
import { createTestDatabase } from '../support/database.ts';
import { startEventStore } from '../support/eventstore-server.ts';
import { startKafkaBroker } from '../support/kafka-broker.ts';
import { ALL_CATEGORIES, ANY_CATEGORIES, newBot, newCommit, readAll } from '../support/log.ts';
import { botledger, operate } from '../support/operate.ts';
import { startTestService } from '../support/service.ts';

/** A log moves from engine to engine, and the service's answers stay the same. */

const broker = await startKafkaBroker();
const eventStore = await startEventStore();
afterAll(async () => {
  await broker?.stop();
  await eventStore.stop();
});

describe.skipIf(broker === null)('a log that is copied', () => {
  test('through all engines and back gives the same answers and the same hash', async () => {
    const service = await startTestService();
    const filled = await fillService(service);
    const before = await allAnswers(service.address, filled);
    const database = await createTestDatabase();
    const name = `copy-${randomUUID()}`;
    const env = { ...broker!.env(name), ...eventStore.env(name), ...service.env, EVENT_LOG: 'postgres' };
    try {
      await service.restart(async () => {
        const first = await operate(env, ['log', 'copy', '--from', 'postgres', '--to', 'kafka']);
        expect(first).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
        expect(first.commits).toBeGreaterThan(20);
        expect(first.keys).toBeGreaterThan(2);
        expect(await operate(env, ['log', 'copy', '--from', 'postgres', '--to', 'kafka']), 'again').toEqual(first);

        expect(await answersOf({ ...env, EVENT_LOG: 'kafka' }, filled)).toEqual(before);

        const second = await operate(
          { ...env, EVENT_LOG: 'kafka' },
          'log copy --from kafka --to eventstoredb'.split(' '),
        );
        expect(second).toEqual(first);
        expect(await answersOf({ ...env, EVENT_LOG: 'eventstoredb' }, filled)).toEqual(before);

        const home = { ...env, DATABASE_URL: database.url };
        const back = await operate(home, ['log', 'copy', '--from', 'eventstoredb', '--to', 'postgres']);
        expect(back).toEqual(first);
        expect(await answersOf(home, filled)).toEqual(before);
      });
    } finally {
      await service.stop();
      await database.drop();
    }
  }, 240_000);

  test('is refused from an empty log, onto another log, and while the service uses another engine', async () => {
    const service = await startTestService();
    const other = await startTestService();
    const nowhere = await createTestDatabase();
    const env = { ...broker!.env(`copy.${randomUUID()}`), ...service.env, EVENT_LOG: 'postgres' };
    try {
      await service.createBot();
      await other.createBot();
      await operate(env, ['log', 'copy', '--from', 'postgres', '--to', 'kafka']);
      const mixed = { ...env, DATABASE_URL: other.env['DATABASE_URL']! };
      // The index of the log on Kafka may be in any database. Here it is in the other one.
      const refused = await botledger(mixed, ['log', 'copy', '--from', 'postgres', '--to', 'kafka']);
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('is not a copy') });
      const wrong = await botledger({ ...env, EVENT_LOG: 'kafka' }, ['owner', 'list']);
      expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('the service’s log is on postgres') });
      const mistyped = { ...env, DATABASE_URL: nowhere.url, KAFKA_TOPIC: `mistyped.${randomUUID()}` };
      const empty = await botledger(mistyped, ['log', 'copy', '--from', 'kafka', '--to', 'postgres']);
      expect(empty).toMatchObject({ code: 1, err: expect.stringContaining('the log on kafka is empty') });
    } finally {
      await nowhere.drop();
      await service.stop();
      await other.stop();
    }
  }, 240_000);
});

test('an interrupted copy resumes, and appends no commit twice', async () => {
  const [from, to] = [await createTestDatabase(), await createTestDatabase()];
  const [source, target] = await Promise.all(
    [from, to].map(({ url }) => openPostgresLog({ connectionString: url, anyCategories: ANY_CATEGORIES })),
  );
  try {
    const bots = [newBot(), newBot()];
    for (const bot of bots) await source!.keys.keysFor([`${bot}/1`, `${bot}/2`]);
    let head: StreamHead = EMPTY_STREAM;
    for (let n = 0; n < 700; n++) {
      const stream = n % 10 === 0 ? `bot-${bots[0]}` : `intake-${bots[n % 2]}`;
      const { position } = await source!.append(newCommit(stream, n % 10 === 0 ? { expected: head } : {}));
      if (n % 10 === 0) ({ head } = await source!.read(stream));
      expect(position).toBeDefined();
    }
    const copy = (signal: AbortSignal, onProgress = () => {}) =>
      copyLog({ from: slowly(source!), to: target!, categories: ALL_CATEGORIES, signal, onProgress });
    const interrupt = new AbortController();
    await expect(copy(interrupt.signal, () => interrupt.abort())).rejects.toThrow('aborted');
    const partly = (await readAll(target!)).length;
    expect(partly).toBeGreaterThan(0);
    expect(partly).toBeLessThan(700);
    await source!.keys.forget(`${bots[0]}/1`);

    let met: Promise<unknown> | null = null;
    const meet = () => (met ??= source!.keys.keysFor([`${bots[1]}/3`]));
    const copied = await copy(new AbortController().signal, () => void meet());
    expect(copied, 'with the commits that came during the copy').toMatchObject({ commits: 700, streams: 3, keys: 4 });
    const ids = (await readAll(target!)).map(({ id }) => id);
    expect(ids).toEqual((await readAll(source!)).map(({ id }) => id));
    expect((await target!.read(`bot-${bots[0]}`)).head).toEqual(head);
    const keys: string[] = [];
    for await (const { subject } of target!.keys.all()) keys.push(subject);
    expect(keys.sort(), 'keys that were forgotten during the copy are forgotten in it, too').toEqual(
      [`${bots[0]}/2`, `${bots[1]}/1`, `${bots[1]}/2`, `${bots[1]}/3`].sort(),
    );
  } finally {
    await Promise.all([source!.close(), target!.close()]);
    await Promise.all([from.drop(), to.drop()]);
  }
}, 120_000);

test('a copy in the wrong direction, or onto another log, changes nothing', async () => {
  const databases = [await createTestDatabase(), await createTestDatabase(), await createTestDatabase()];
  const logs = await Promise.all(
    databases.map(({ url }) => openPostgresLog({ connectionString: url, anyCategories: ANY_CATEGORIES })),
  );
  const [own, older, another] = logs as [EventLog, EventLog, EventLog];
  const grow = async (log: EventLog, bot: string): Promise<void> => {
    await log.keys.keysFor([`${bot}/1`]);
    await log.append(newCommit(`bot-${bot}`, { expected: EMPTY_STREAM }));
    await log.append(newCommit(`intake-${bot}`));
  };
  const heldBy = async (log: EventLog): Promise<string[]> => {
    const ids = (await readAll(log)).map(({ id }) => id);
    for await (const { id } of log.keys.all()) ids.push(id);
    return ids;
  };
  const copy = (from: EventLog, to: EventLog) =>
    copyLog({ from, to, categories: ALL_CATEGORIES, signal: new AbortController().signal, onProgress: () => {} });
  try {
    await grow(own, newBot());
    await expect(copy(older, own), 'of an empty log').rejects.toThrow('nothing was changed');
    await copy(own, older);
    await grow(own, newBot());
    await grow(another, newBot());
    const before = await heldBy(own);
    expect(before).toHaveLength(6);
    for (const wrong of [older, another]) await expect(copy(wrong, own)).rejects.toThrow('is not a copy');
    expect(await heldBy(own)).toEqual(before);
  } finally {
    await Promise.all(logs.map((log) => log.close()));
    await Promise.all(databases.map((database) => database.drop()));
  }
}, 60_000);

/** The same log in batches of 100 commits. */
function slowly(log: EventLog): EventLog {
  return { ...log, subscribe: (options) => log.subscribe({ ...options, maxCommits: 100 }) };
}

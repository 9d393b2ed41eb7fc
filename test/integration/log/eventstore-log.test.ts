import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeCommit } from '../../../src/log/commit-codec.ts';
import { StreamDamagedError, StreamUnfitError } from '../../../src/log/eventstore/commit-stream.ts';
import { type EventStoreClient, openEventStoreClient } from '../../../src/log/eventstore/eventstore-client.ts';
import {
  CommitTooLargeError,
  type EventLog,
  LogUnavailableError,
  type NewCommit,
  OutcomeUnknownError,
} from '../../../src/log/port.ts';
import { keyOf } from '../../../src/log/stream-name.ts';
import { ForeignIndexError } from '../../../src/log/validated/index-writer.ts';
import { positionOf } from '../../../src/log/validated/record.ts';
import { pause } from '../../../src/util/pause.ts';
import { surviveBrokerKills } from '../../support/broker-kills.ts';
import { startEventStoreDouble } from '../../support/eventstore-double.ts';
import { createEventStoreTestLog, type EventStoreTestLog } from '../../support/eventstore-log.ts';
import { startEventStore } from '../../support/eventstore-server.ts';
import { appendOnTop, newBot, newCommit, readAll } from '../../support/log.ts';
import { longOnly } from '../../support/long-only.ts';
import { tcpProxy } from '../../support/tcp-proxy.ts';

/** Faults that only a log on EventStoreDB can have. Tests whose server must fail on command run against the double. */
const server = await startEventStore();
const double = server.double ?? (await startEventStoreDouble());
const client = openEventStoreClient(server.url);
afterAll(async () => {
  await client.close();
  await server.stop();
  double.stop();
});

let under: EventStoreTestLog;
const opened: EventLog[] = [];
async function open(changes: Parameters<EventStoreTestLog['open']>[0] = {}): ReturnType<EventStoreTestLog['open']> {
  const log = await under.open(changes);
  opened.push(log);
  return log;
}
beforeEach(async () => {
  under = await createEventStoreTestLog(server);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((log) => log.close()));
  await under.destroy();
});

const commitEvent = (commit: NewCommit) => ({
  id: randomUUID(),
  type: 'commit',
  data: Buffer.from(encodeCommit(commit)),
});
/** Appends past the engine, as another writer does. */
async function put(...events: Parameters<EventStoreClient['append']>[1]): Promise<void> {
  const last = await client.last(under.stream);
  expect(await client.append(under.stream, events, last === null ? 0 : last.number + 1)).toHaveProperty('next');
}
async function idsOf(log: EventLog, bot: string): Promise<string[]> {
  return (await readAll(log)).filter(({ stream }) => keyOf(stream) === bot).map(({ id }) => id);
}

describe('a stream with records of other writers', () => {
  it('skips and counts records that are no commit, a repeat or a lost race', async () => {
    const log = await open();
    const bot = newBot();
    const [first, taken, last] = [newCommit(`intake-${bot}`), newCommit(`bot-${bot}`), newCommit(`intake-${bot}`)];
    await log.append(first);
    await log.append(taken);
    await put(
      commitEvent(first),
      commitEvent(newCommit(`bot-${bot}`)),
      { ...commitEvent(last), type: 'other' },
      { ...commitEvent(last), data: Buffer.from('hello') },
      { id: randomUUID(), type: 'commit', data: { a: 'b' } },
      { id: randomUUID(), type: '$system', data: { a: 'b' } },
    );
    await log.append(last);
    await appendOnTop(log, newCommit(`bot-${bot}`));
    expect((await idsOf(log, bot)).slice(0, 3)).toEqual([first.id, taken.id, last.id]);
    expect((await log.read(`bot-${bot}`)).head.revision).toBe(2);
    expect(await log.voids()).toEqual(
      new Map([
        ['repeated', 1],
        ['conflict', 1],
        ['malformed', 4],
      ]),
    );
  });

  it('yields the same index when it is read again from the beginning', async () => {
    const log = await open();
    const bot = newBot();
    for (let n = 0; n < 3; n++) await appendOnTop(log, newCommit(`bot-${bot}`, { command: { id: randomUUID() } }));
    await put(commitEvent(newCommit(`bot-${bot}`)));
    await appendOnTop(log, newCommit(`bot-${bot}`));
    const before = await log.read(`bot-${bot}`);
    await log.close();
    opened.splice(0);
    await under.database.pool.query('DROP SCHEMA eventstore_index CASCADE');
    expect(await (await open()).read(`bot-${bot}`)).toEqual(before);
  });
});

describe('a stream that cannot be the log', () => {
  it('is refused when its metadata truncates it', async () => {
    const metadata = { $maxCount: 5 } as unknown as Record<string, string>;
    await client.append(`$$${under.stream}`, [{ id: randomUUID(), type: '$metadata', data: metadata }], 0);
    await expect(under.open()).rejects.toThrow(StreamUnfitError);
  });

  it('is refused when the index is of another stream', async () => {
    await open();
    await expect(under.open({ stream: `${under.stream}.other` })).rejects.toThrow(ForeignIndexError);
  });

  it('fails its readers when it is shorter than what they have read', async () => {
    const log = await open();
    await log.append(newCommit(`intake-${newBot()}`));
    const stop = new AbortController();
    const after = new Map([[0, positionOf(0, 5)]]);
    const reading = log.subscribe({ categories: ['intake'], after, signal: stop.signal })[Symbol.asyncIterator]();
    await expect(reading.next()).rejects.toThrow(StreamDamagedError);
  });
});

describe('a server that fails', () => {
  /** A log on the double, even if other tests run on a server. */
  beforeEach(async () => {
    await under.destroy();
    under = await createEventStoreTestLog(double);
  });

  afterEach(() => double.start());

  it('stores an append once when its answer is lost', async () => {
    const log = await open();
    const bot = newBot();
    const commits = [newCommit(`intake-${bot}`), newCommit(`bot-${bot}`)];
    for (const commit of commits) {
      double.loseNextAnswer();
      await log.append(commit);
    }
    expect(double.streams.read(under.stream)).toHaveLength(2);
    expect(await idsOf(log, bot)).toEqual(commits.map(({ id }) => id));
  });

  it('stores an append once on a server before 21.10, which takes no batches', async () => {
    const old = await startEventStoreDouble({ batches: false });
    const log = await open({ url: old.url });
    const bot = newBot();
    const commits = [newCommit(`intake-${bot}`), newCommit(`bot-${bot}`)];
    for (const commit of commits) {
      old.loseNextAnswer();
      await log.append(commit);
    }
    expect(await idsOf(log, bot)).toEqual(commits.map(({ id }) => id));
    const subject = `${bot}/1`;
    const key = (await log.keys.keysFor([subject])).get(subject)!;
    await log.keys.forget(subject);
    await log.keys.put([key]);
    expect(await log.keys.find([key.id])).toEqual(new Map());
    await log.close();
    opened.splice(0);
    old.stop();
  });

  longOnly('fails the appends of one client, and no append of another client in the same thread', async () => {
    const other = await startEventStoreDouble();
    const clients = [openEventStoreClient(double.url), openEventStoreClient(other.url)] as const;
    const append = (to: EventStoreClient): Promise<string> =>
      to.append(newBot(), [commitEvent(newCommit(`intake-${newBot()}`))], 0).then(() => 'appended', String);
    expect(await Promise.all(clients.map(append))).toEqual(['appended', 'appended']);

    other.swallowNextAppend();
    const waiting = append(clients[1]);
    double.loseNextAnswer();
    expect(await append(clients[0])).toMatch(/Error/);
    expect(await Promise.race([waiting, pause(100).then(() => 'waits')])).toBe('waits');

    await Promise.all(clients.map((each) => each.close()));
    await waiting;
    other.stop();
  });

  it('gives an append another place when its own is taken', async () => {
    const log = await open();
    const bot = newBot();
    const [mine, theirs] = [newCommit(`intake-${bot}`), newCommit(`intake-${bot}`)];
    double.beforeNextAppend(() => {
      const { id, data } = commitEvent(theirs);
      const metadata = new Map([
        ['type', 'commit'],
        ['content-type', 'application/octet-stream'],
      ]);
      double.streams.append(under.stream, 'any', [{ id, metadata, customMetadata: new Uint8Array(), data }]);
    });
    expect((await log.append(mine)).position).toBe(positionOf(0, 1));
    expect(await idsOf(log, bot)).toEqual([theirs.id, mine.id]);
  });

  longOnly('says that an append is not in the log when it was never sent', async () => {
    const log = await open({ maxWaitMs: 500 });
    const stream = `intake-${newBot()}`;
    await log.append(newCommit(stream));
    double.kill();
    await pause(100); // until the client has noticed that the connection broke
    for (let n = 0; n < 3; n++) await expect(log.append(newCommit(stream))).rejects.toThrow(LogUnavailableError);
    await expect(log.keys.find([randomUUID()])).rejects.toThrow(LogUnavailableError);
    await expect(log.endCursor()).rejects.toThrow();
    await double.start();
    const commit = newCommit(stream);
    await expect.poll(() => log.append(commit).then(() => 'done', String)).toBe('done');
    expect(double.streams.read(under.stream)).toHaveLength(2);
    expect((await readAll(log)).at(-1)!.id).toBe(commit.id);
  });

  it('loses no append to a short outage', async () => {
    const log = await open();
    const stream = `intake-${newBot()}`;
    await log.append(newCommit(stream));
    double.kill();
    await pause(100);
    const appending = Promise.all(Array.from({ length: 10 }, () => log.append(newCommit(stream))));
    await pause(300);
    await double.start();
    expect(await appending).toHaveLength(10);
    expect(double.streams.read(under.stream)).toHaveLength(11);
  });

  it('sends an append again that got no answer', async () => {
    const log = await open({ maxWaitMs: 500 });
    const bot = newBot();
    await log.append(newCommit(`intake-${bot}`));
    double.swallowNextAppend();
    const commit = newCommit(`intake-${bot}`);
    await expect(log.append(commit)).rejects.toThrow(OutcomeUnknownError);
    await expect.poll(() => log.append(commit).then(() => 'done', String)).toBe('done');
    expect((await idsOf(log, bot)).filter((id) => id === commit.id)).toHaveLength(1);
  });

  it('leaves an outcome unknown when the server freezes, and stores a repeated append once', async () => {
    const proxy = await tcpProxy(double.url);
    const log = await open({ url: proxy.url, maxWaitMs: 1000 });
    const bot = newBot();
    await log.append(newCommit(`intake-${bot}`));
    proxy.freeze();
    const commit = newCommit(`intake-${bot}`);
    await expect(log.append(commit)).rejects.toThrow(OutcomeUnknownError);
    await expect(log.append(newCommit(`intake-${bot}`))).rejects.toThrow(LogUnavailableError);
    await proxy.restore();
    await expect.poll(() => log.append(commit).then(() => 'done', String)).toBe('done');
    expect((await idsOf(log, bot)).filter((id) => id === commit.id)).toHaveLength(1);
    await log.close();
    opened.splice(0);
    await proxy.close();
  });

  longOnly('loses, doubles and swaps nothing when it is killed', async () => {
    const broker = { kill: async () => double.kill(), start: () => double.start() };
    await surviveBrokerKills({ broker, under, writers: 6, kills: 3, between: 60 });
  });

  it('refuses a commit that is too large for it, and no other', async () => {
    const log = await open();
    const bot = newBot();
    const data = 'x'.repeat(1024 * 1024);
    const large = newCommit(`intake-${bot}`, { events: [{ type: 'Happened', v: 1, data }] });
    await expect(log.append(large)).rejects.toThrow(CommitTooLargeError);
    // Together more than it takes at once.
    const events = [{ type: 'Happened', v: 1, data: data.slice(0, 100_000) }];
    const small = Array.from({ length: 30 }, () => newCommit(`intake-${bot}`, { events }));
    await Promise.all(small.map((commit) => log.append(commit)));
    expect(await idsOf(log, bot)).toEqual(small.map(({ id }) => id));
  });

  it('forgets a key while it is being made', async () => {
    const log = await open();
    const subject = `${newBot()}/1`;
    let made = '';
    double.beforeNextAppend(() =>
      // The key is named now, and not stored yet.
      double.beforeNextAppend(() => {
        const named = double.streams.read(`${under.stream}_subject-${subject}`);
        if (named === null || named === 'deleted') throw new Error('no key was named');
        made = JSON.parse(Buffer.from(named[0]!.data).toString()).key;
        double.streams.tombstone(`${under.stream}_key-${made}`);
      }),
    );
    const key = (await log.keys.keysFor([subject])).get(subject)!;
    expect(made).not.toBe('');
    expect(key.id).not.toBe(made);
    expect([...(await log.keys.find([made, key.id])).keys()]).toEqual([key.id]);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import type { EventLog, SubscribeOptions } from '../../../src/log/port.ts';
import { SharedReader } from '../../../src/log/shared-reader.ts';
import { ALL_CATEGORIES, newBot, newCommit } from '../../support/log.ts';
import { memoryLog } from '../../support/memory-log.ts';

/** The contract tests the promises of subscriptions; these tests show one subscription for all, and readers that part from it. */

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

interface Reading {
  readonly ids: string[];
  readonly ended: Promise<void>;
  stop(): void;
}

/** Reads into a list; before each batch it waits for `before`. */
function read(
  reader: Pick<EventLog, 'subscribe'>,
  options: Partial<SubscribeOptions> = {},
  before: () => Promise<void> = async () => {},
): Reading {
  const stop = new AbortController();
  stops.push(stop);
  const ids: string[] = [];
  const all = { categories: ALL_CATEGORIES, after: new Map(), signal: stop.signal };
  const ended = (async () => {
    for await (const { commits } of reader.subscribe({ ...all, ...options })) {
      await before();
      ids.push(...commits.map(({ id }) => id));
    }
  })();
  ended.catch(() => {});
  return { ids, ended, stop: () => stop.abort() };
}

/** A log that counts its open subscriptions, and whose subscriptions fail at a commit that the test names. */
function watched(partitions = 1) {
  const log = memoryLog(partitions);
  const state = { open: 0, most: 0, asked: [] as SubscribeOptions[], failAt: '' };
  const subscribe = async function* (options: SubscribeOptions) {
    state.asked.push(options);
    state.most = Math.max(state.most, ++state.open);
    try {
      for await (const batch of log.subscribe(options)) {
        if (batch.commits.some(({ id }) => id === state.failAt)) throw new Error('unreadable');
        yield batch;
      }
    } finally {
      state.open--;
    }
  };
  const errors: unknown[] = [];
  const options = {
    itemsOf: ({ events }: { events: readonly unknown[] }) => events.length,
    onError: (error: unknown) => errors.push(error),
  };
  const watchedLog: EventLog = Object.assign(Object.create(log) as EventLog, { subscribe });
  return { log, state, errors, reader: new SharedReader(watchedLog, ALL_CATEGORIES, options) };
}

async function append(log: EventLog, count: number, events = 1): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const all = Array.from({ length: events }, () => ({ type: 'Happened', v: 1, data: {} }));
    const commit = newCommit(`intake-${newBot()}`, { events: all });
    await log.append(commit);
    ids.push(commit.id);
  }
  return ids;
}

describe('readers that share a subscription', () => {
  it('all get every commit out of one subscription, which ends with the last of them', async () => {
    const { log, state, reader } = watched(3);
    const early = await append(log, 20);
    const readers = Array.from({ length: 5 }, () => read(reader));
    for (const { ids } of readers) await expect.poll(() => new Set(ids)).toEqual(new Set(early));
    const late = await append(log, 20);
    for (const { ids } of readers) await expect.poll(() => new Set(ids)).toEqual(new Set([...early, ...late]));
    for (const { ids } of readers) expect(ids).toHaveLength(40);
    expect(state.open).toBe(1);
    for (const each of readers) each.stop();
    for (const { ended } of readers) await ended;
    await expect.poll(() => state.open).toBe(0);
  });

  it('read by themselves while far behind, and then share it', async () => {
    const { log, state, reader } = watched();
    const early = await append(log, 6000);
    const near = read(reader, { after: await log.endCursor() });
    const far = read(reader, { maxCommits: 100 });
    await expect.poll(() => far.ids).toEqual(early);
    const late = await append(log, 1);
    await expect.poll(() => near.ids).toEqual(late);
    await expect.poll(() => far.ids).toEqual([...early, ...late]);
    await expect.poll(() => state.open).toBe(1);
  });

  it('part from it when they are too slow, and miss nothing', async () => {
    const { log, state, reader } = watched();
    let go = (): void => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const quick = read(reader);
    const slow = read(reader, {}, () => gate);
    const ids: string[] = [];
    for (let i = 0; i < 8; i++) {
      ids.push(...(await append(log, 10, 1000)));
      await expect.poll(() => quick.ids).toEqual(ids);
    }
    expect(slow.ids).toEqual([]);
    go();
    await expect.poll(() => slow.ids).toEqual(ids);
    await expect.poll(() => state.open).toBe(1);
  });

  it('each meet an error by themselves, if they want the commit that causes it', async () => {
    const { log, state, errors, reader } = watched();
    const all = read(reader);
    const [first] = await append(log, 1);
    await expect.poll(() => all.ids).toEqual([first]);
    const bad = newCommit(`intake-${newBot()}`);
    state.failAt = bad.id;
    const exact = read(reader, { categories: ['bot'], after: await log.endCursor() });
    await log.append(bad);
    await expect(all.ended).rejects.toThrow('unreadable');
    expect(errors).toHaveLength(1);
    const good = newCommit(`bot-${newBot()}`);
    await log.append(good);
    await expect.poll(() => exact.ids).toEqual([good.id]);
  });

  it('read the partitions that one of them wants, and no others', async () => {
    const { log, state, reader } = watched(3);
    const one = read(reader, { partitions: new Set([0]) });
    await append(log, 30);
    await expect.poll(() => one.ids.length).toBe(log.commits[0]!.length);
    const two = read(reader, { partitions: new Set([1]) });
    await expect.poll(() => two.ids.length).toBe(log.commits[1]!.length);
    await append(log, 30);
    await expect.poll(() => two.ids).toEqual(log.commits[1]!.map(({ id }) => id));
    await expect.poll(() => one.ids).toEqual(log.commits[0]!.map(({ id }) => id));
    expect([...state.asked.at(-1)!.partitions!].sort()).toEqual([0, 1]);
    expect(state.open).toBe(1);
    const begun = state.asked.length;
    one.stop();
    await one.ended;
    const three = read(reader, { partitions: new Set([1]) });
    await expect.poll(() => three.ids).toEqual(two.ids);
    await expect.poll(() => state.open).toBe(1);
    expect([...state.asked.at(-1)!.partitions!]).toEqual([1]);
    expect(state.asked.length).toBe(begun + 1);
  });

  it('begin few subscriptions when many readers change their partitions at once', async () => {
    const { log, state, reader } = watched(6);
    const ids = new Set(await append(log, 100));
    for (const divided of [
      [0, 1, 2, 3, 4, 5],
      [0, 2, 4],
      [1, 2, 3],
    ]) {
      const begun = state.asked.length;
      const sets = [...divided.map((each) => new Set([each])), new Set(divided), new Set(divided.slice(1))];
      const readers = sets.map((partitions) => read(reader, { partitions }));
      for (const [i, each] of readers.entries()) {
        const own = log.commits.filter((_, partition) => sets[i]!.has(partition)).flat();
        await expect.poll(() => new Set(each.ids)).toEqual(new Set(own.map(({ id }) => id)));
        expect(each.ids).toHaveLength(own.length);
      }
      for (const id of await append(log, 60)) ids.add(id);
      await expect
        .poll(() => new Set(readers[sets.length - 2]!.ids).size)
        .toBe(log.commits.filter((_, partition) => divided.includes(partition)).flat().length);
      expect(state.asked.length - begun).toBeLessThanOrEqual(3);
      for (const each of readers) each.stop();
      for (const { ended } of readers) await ended;
      await expect.poll(() => state.open).toBe(0);
    }
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import {
  type EventLog,
  hasPassed,
  hasPassedAll,
  type Position,
  partitionOf,
  type RecordedCommit,
} from '../../src/log/port.ts';
import { categoryOf, keyOf } from '../../src/log/stream-name.ts';
import { pause } from '../../src/util/pause.ts';
import { ALL_CATEGORIES, appendOnTop, newBot, newCommit, readAll, readBatches } from '../support/log.ts';
import type { OpenLogs } from './event-log.contract.ts';

/** The promises about readers that follow the log. @param logs once the log is open */
export function describeSubscriptions(logs: () => OpenLogs): void {
  describe('a subscription', () => {
    let log: EventLog;
    /** The same log, as another process sees it. */
    let other: EventLog;
    beforeAll(() => {
      ({ log, other } = logs());
    });
    it('resumes where the last one stopped, at any position', async () => {
      const bot = newBot();
      for (let i = 0; i < 10; i++) {
        await log.append(newCommit(`intake-${bot}`));
        await appendOnTop(log, newCommit(`bot-${bot}`));
      }
      const to = await log.endCursor();
      const mine = (commits: readonly RecordedCommit[]): RecordedCommit[] =>
        commits.filter(({ stream }) => stream.endsWith(bot));
      for (const categories of [ALL_CATEGORIES, ['intake'], ['bot']]) {
        const whole = mine(await readAll(log, { categories, to }));
        expect(whole).toHaveLength(categories.length * 10);
        const batches = await readBatches(log, { categories, to, maxCommits: 3 });
        expect(mine(batches.flatMap(({ commits }) => commits))).toEqual(whole);
        for (const { partition, commits, last } of batches) {
          expect(commits.length).toBeLessThanOrEqual(3);
          for (const { position } of commits) {
            expect(partitionOf(position)).toBe(partition);
            expect(position <= last).toBe(true);
          }
        }
        for (const cut of [0, Math.floor(batches.length / 2), batches.length - 1]) {
          const after = new Map<number, Position>();
          for (const { partition, last } of batches.slice(0, cut)) after.set(partition, last);
          const before = batches.slice(0, cut).flatMap(({ commits }) => commits);
          const rest = await readAll(log, { categories, to, after });
          expect(mine([...before, ...rest])).toEqual(whole);
        }
      }
    });

    it('delivers commits that are appended while it waits, to every subscriber', async () => {
      const bot = newBot();
      const stop = new AbortController();
      const after = await log.endCursor();
      const seen = await Promise.all(
        [log, other].flatMap((handle) =>
          [ALL_CATEGORIES, ['bot']].map(async (categories) => {
            const found: string[] = [];
            const wanted = categories.length * 5;
            const subscription = handle.subscribe({ categories, after, signal: stop.signal });
            const reading = (async () => {
              for await (const { commits } of subscription) {
                for (const { id, stream } of commits) if (stream.endsWith(bot)) found.push(id);
                if (found.length >= wanted) return;
              }
            })();
            return { found, reading, wanted };
          }),
        ),
      );
      const sent: string[] = [];
      const exact: string[] = [];
      for (let i = 0; i < 5; i++) {
        for (const category of ALL_CATEGORIES) {
          const commit = newCommit(`${category}-${bot}`);
          if (category === 'bot') await appendOnTop(log, commit);
          else await log.append(commit);
          sent.push(commit.id);
          if (category === 'bot') exact.push(commit.id);
        }
      }
      for (const { found, reading, wanted } of seen) {
        await reading;
        expect(found).toEqual(wanted === 5 ? exact : sent);
      }
      stop.abort();
    });

    it('delivers commits in few batches to a slow reader, so that it catches up', async () => {
      const stream = `intake-${newBot()}`;
      const stop = new AbortController();
      const after = await log.endCursor();
      let [batches, commits] = [0, 0];
      const reading = (async () => {
        for await (const batch of log.subscribe({ categories: ['intake'], after, signal: stop.signal })) {
          const own = batch.commits.filter((commit) => commit.stream === stream).length;
          commits += own;
          if (own > 0) batches++;
          await pause(own > 0 ? 100 : 0);
        }
      })();
      for (let i = 0; i < 40; i++) {
        await other.append(newCommit(stream));
        await pause(5);
      }
      await expect.poll(() => commits).toBe(40);
      stop.abort();
      await reading;
      expect(batches).toBeLessThan(30);
    });

    it('may leave out commits of the event types in `without`, and no others', async () => {
      const stream = `intake-${newBot()}`;
      const of = (...types: string[]) =>
        types.map((type) => ({ type, v: 1, data: { says: '"events":[{"type":"Left",' } }));
      const after = await log.endCursor();
      const kept: string[] = [];
      for (const events of [of('Left'), of('Kept'), of('Left', 'Kept'), of('Left%'), of('Left')]) {
        const commit = newCommit(stream, { events });
        await log.append(commit);
        if (events.length > 1 || events[0]!.type !== 'Left') kept.push(commit.id);
      }
      const read = await readAll(log, { after, without: ['Left', '%'] });
      expect(read.filter((commit) => commit.stream === stream).map(({ id }) => id)).toEqual(kept);
    });

    it('delivers the partitions that are asked for, and no others', async () => {
      const bots = Array.from({ length: 4 * log.partitions }, newBot);
      const streams = bots.flatMap((bot) => [`intake-${bot}`, `bot-${bot}`]);
      const after = await log.endCursor();
      const appended = new Map<string, Position>();
      for (const stream of streams) {
        const commit = newCommit(stream);
        appended.set(commit.id, (await log.append(commit)).position);
        expect(log.partitionOf(keyOf(stream))).toBe(partitionOf(appended.get(commit.id)!));
      }
      const own = new Set([log.partitionOf(bots[0]!), log.partitionOf(bots[1]!)]);
      for (const categories of [ALL_CATEGORIES, ['bot']]) {
        const batches = await readBatches(log, { categories, after, partitions: own });
        expect(batches.filter(({ partition }) => !own.has(partition))).toEqual([]);
        const read = batches.flatMap(({ commits }) => commits).filter(({ id }) => appended.has(id));
        const wanted = streams.filter((stream) => own.has(log.partitionOf(keyOf(stream))));
        expect(read.map(({ stream }) => stream).sort()).toEqual(
          wanted.filter((stream) => categories.includes(categoryOf(stream))).sort(),
        );
      }
    });

    it('ends when its signal aborts, also while it waits', async () => {
      for (const categories of [ALL_CATEGORIES, ['bot']]) {
        const stop = new AbortController();
        const after = await log.endCursor();
        const ended = (async () => {
          for await (const _ of log.subscribe({ categories, after, signal: stop.signal }));
        })();
        setTimeout(() => stop.abort(), 50);
        await ended;
      }
    });

    it('reaches the log end at or beyond every earlier append', async () => {
      const appended = await Promise.all(Array.from({ length: 20 }, () => log.append(newCommit(`intake-${newBot()}`))));
      const head = await other.endCursor();
      for (const { position } of appended) expect(hasPassed(head, position)).toBe(true);
      for (const categories of [ALL_CATEGORIES, ['bot'], ['none']]) {
        const cursor = new Map<number, Position>();
        for (const { partition, last } of await readBatches(other, { categories, to: head }))
          cursor.set(partition, last);
        expect(hasPassedAll(cursor, head)).toBe(true);
      }
      expect(await other.lag(head)).toEqual({ commits: 0, seconds: 0 });
      const behind = await other.lag(new Map());
      expect(behind.commits).toBeGreaterThanOrEqual(20);
      expect(behind.seconds).toBeGreaterThan(0);
      expect(behind.seconds).toBeLessThan(3600);
    });
  });
}

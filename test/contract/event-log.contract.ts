import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyChain } from '../../src/log/commit-codec.ts';
import {
  type Appended,
  BrokenChainError,
  COMMAND_MEMORY_MS,
  ConflictError,
  EMPTY_STREAM,
  type EventLog,
  hasPassed,
  hasPassedAll,
  LogUnavailableError,
  type NewCommit,
  type Position,
  partitionOf,
  type RecordedCommit,
  type StreamHead,
} from '../../src/log/port.ts';
import { categoryOf, keyOf } from '../../src/log/stream-name.ts';
import { pause } from '../../src/util/pause.ts';
import { ALL_CATEGORIES, appendOnTop, newBot, newCommit, readAll, readBatches } from '../support/log.ts';
import { fillLog, findings } from '../support/log-audit.ts';
import { expectExactlyOnce, followAll, nthCommit, persist } from '../support/log-stress.ts';
import { writeAndKill } from '../support/log-writer-process.ts';
import { longOnly } from '../support/long-only.ts';

/** The differences between engines. The engine's test file gives a reason next to each `false`. */
interface Capabilities {
  /** An append to an *any* stream without a command reports that its id was in the log before. */
  readonly reportsRepeatedIntake: boolean;
  /** A command id is recognised on streams of another key. */
  readonly commandsAcrossKeys: boolean;
  /** Another OS process can open the log. */
  readonly sharedByOsProcesses: boolean;
}

export interface LogUnderTest {
  /** Another handle on the same log, as another process has one. */
  open(): Promise<EventLog>;
  /** The environment with which another OS process opens the log. */
  readonly env: Readonly<Record<string, string>>;
  destroy(): Promise<void>;
}

export interface EngineUnderTest {
  readonly name: string;
  readonly capabilities: Capabilities;
  /** A fresh, empty log. */
  create(): Promise<LogUnderTest>;
}

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** The promises of every engine, as tests. All but the first share one log and use different bots. */
export function describeEventLog(engine: EngineUnderTest): void {
  describe(`the log on ${engine.name}`, () => {
    let under: LogUnderTest;
    let log: EventLog;
    /** The same log, as another process sees it. */
    let other: EventLog;

    beforeAll(async () => {
      under = await engine.create();
      log = await under.open();
      other = await under.open();
    });
    afterAll(async () => {
      await Promise.all([log.close(), other.close()]);
      await under.destroy();
    });

    it('reports that it is empty at first', async () => {
      expect(await log.endCursor()).toEqual(new Map());
      expect(await log.lag(new Map())).toEqual({ commits: 0, seconds: 0 });
      expect(await log.read('bot-unknown')).toEqual({ head: EMPTY_STREAM, commits: [] });
      await log.ping();
    });

    describe('exact streams', () => {
      it('grow by one revision per commit, and each commit holds the hash of the previous one', async () => {
        const stream = `bot-${newBot()}`;
        const first = newCommit(stream, {
          keyId: 7,
          causation: 'c1',
          trace: TRACE,
          command: { id: randomUUID(), answer: { a: [1] } },
        });
        const appended = await log.append(first);
        const one = await log.read(stream);
        expect(one.head.revision).toBe(1);
        expect(appended).toEqual({ position: one.commits[0]!.position, head: one.head, repeated: null });
        const second = newCommit(stream, { expected: one.head });
        const onTop = await log.append(second);

        const { head, commits } = await other.read(stream);
        expect(onTop).toEqual({ position: commits[1]!.position, head, repeated: null });
        expect(commits).toMatchObject([
          {
            id: first.id,
            stream,
            at: first.at,
            keyId: 7,
            causation: 'c1',
            trace: TRACE,
            command: first.command,
            revision: 1,
            prev: '',
          },
          { id: second.id, revision: 2, prev: one.head.hash },
        ]);
        expect(verifyChain(stream, EMPTY_STREAM, commits)).toEqual(head);
        expect(await log.read(stream, one.head)).toEqual({ head, commits: commits.slice(1) });
        expect(await log.read(stream, EMPTY_STREAM, 1)).toEqual({ head: one.head, commits: commits.slice(0, 1) });
        expect(await log.read(stream, one.head, 1000)).toEqual({ head, commits: commits.slice(1) });
        expect(await log.read(stream, head, 1)).toEqual({ head, commits: [] });
        expect(await log.read(stream, head)).toEqual({ head, commits: [] });
      });

      it('and any streams keep the trace of each commit, also of one group', async () => {
        const bot = newBot();
        const traces = [1, 2, 3].map((n) => `00-${String(n).repeat(32)}-${String(n).repeat(16)}-01`);
        const traced = [...traces, undefined].map((trace) => newCommit(`intake-${bot}`, { trace }));
        await Promise.all(traced.map((commit) => log.append(commit)));
        await log.append(newCommit(`bot-${bot}`, { trace: TRACE }));
        const read = (await readAll(other)).filter(({ stream }) => stream.endsWith(bot));
        expect(new Map(read.map(({ id, trace }) => [id, trace]))).toEqual(
          new Map([...traced, { id: read.at(-1)!.id, trace: TRACE }].map(({ id, trace }) => [id, trace])),
        );
      });

      it('tell their heads, many in one call, without empty streams', async () => {
        const [long, short, empty] = [1, 2, 3].map(() => `bot-${newBot()}`) as [string, string, string];
        for (const stream of [long, long, short]) await appendOnTop(log, newCommit(stream));
        const heads = await Promise.all([long, short].map(async (stream) => (await log.read(stream)).head));
        expect(heads.map(({ revision }) => revision)).toEqual([2, 1]);
        expect(await other.streamHeads([long, empty, short])).toEqual(
          new Map([
            [long, heads[0]],
            [short, heads[1]],
          ]),
        );
        expect(await log.streamHeads([])).toEqual(new Map());
      });

      it('are read on from a commit that they have, and from no other', async () => {
        const stream = `bot-${newBot()}`;
        for (let n = 0; n < 3; n++) await appendOnTop(log, newCommit(stream));
        const { commits, head } = await log.read(stream);
        for (const [index, { revision, hash }] of commits.entries()) {
          const at = { revision: revision!, hash: hash! };
          expect(await other.read(stream, at)).toEqual({ head, commits: commits.slice(index + 1) });
          const elsewhere = { ...at, hash: 'ab'.repeat(32) };
          await expect(other.read(stream, elsewhere)).rejects.toBeInstanceOf(BrokenChainError);
        }
        for (const revision of [4, 400])
          await expect(other.read(stream, { ...head, revision })).rejects.toBeInstanceOf(BrokenChainError);
      });

      it('keep any JSON of events, all events of a commit together', async () => {
        const stream = `bot-${newBot()}`;
        let head: StreamHead = EMPTY_STREAM;
        const data = fc.jsonValue({ noUnicodeString: false, maxDepth: 3 } as fc.JsonSharedConstraints);
        await fc.assert(
          fc.asyncProperty(fc.array(data, { minLength: 1, maxLength: 5 }), async (values) => {
            const events = values.map((value) => ({ type: 'Happened', v: 2, data: value }));
            await log.append(newCommit(stream, { expected: head, events }));
            const read = await other.read(stream, head);
            head = read.head;
            expect(read.commits.map((commit) => commit.events)).toEqual([JSON.parse(JSON.stringify(events))]);
          }),
          { numRuns: 25 },
        );
      });

      it('refuse a commit that does not continue them, and name their revision', async () => {
        const stream = `bot-${newBot()}`;
        await log.append(newCommit(stream));
        const { head } = await log.read(stream);
        const wrong: StreamHead[] = [
          EMPTY_STREAM,
          { revision: 2, hash: head.hash },
          { revision: 1, hash: 'f'.repeat(64) },
        ];
        for (const expected of wrong) {
          const error = await log.append(newCommit(stream, { expected })).catch((e: unknown) => e);
          expect(error).toBeInstanceOf(ConflictError);
          expect(error).toMatchObject({ stream, expected: expected.revision, actual: 1 });
        }
        expect((await other.read(stream)).head).toEqual(head);
      });

      it('accept exactly one of many concurrent appends to a revision', async () => {
        const stream = `bot-${newBot()}`;
        const attempts = Array.from({ length: 40 }, (_, i) => (i % 2 ? log : other).append(newCommit(stream)));
        const results = await Promise.allSettled(attempts);
        const lost = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
        expect(lost.map((error) => error.name)).toEqual(Array<string>(39).fill('ConflictError'));
        expect((await log.read(stream)).head.revision).toBe(1);
      });
    });

    describe('a repeat', () => {
      it('of a commit changes nothing, on exact streams at any later time', async () => {
        const stream = `bot-${newBot()}`;
        const commit = newCommit(stream);
        await log.append(commit);
        await appendOnTop(log, newCommit(stream));
        const { head, commits } = await log.read(stream);
        for (const expected of [EMPTY_STREAM, head]) {
          const again = await other.append({ ...commit, expected });
          const { position, revision, hash } = commits[0]!;
          expect(again).toEqual({ position, head: { revision, hash }, repeated: commits[0] });
        }
        expect((await log.read(stream)).head).toEqual(head);
      });

      it('of intake changes nothing', async () => {
        const stream = `intake-${newBot()}`;
        const commit = newCommit(stream);
        const results = [await log.append(commit), await other.append(commit), await log.append(commit)];
        if (engine.capabilities.reportsRepeatedIntake)
          expect(results.map(({ repeated }) => repeated?.id)).toEqual([undefined, commit.id, commit.id]);
        expect(await commitsOf(log, stream)).toMatchObject([{ id: commit.id, revision: null, prev: null, hash: null }]);
      });

      it('is not looked for if the caller says that there is none: appends together keep the order of the calls', async () => {
        for (const withCommands of [true, false]) {
          const stream = `intake-${newBot()}`;
          const commits = Array.from({ length: 60 }, () =>
            newCommit(stream, withCommands ? { command: { id: randomUUID() } } : {}),
          );
          await Promise.all(commits.map((commit) => log.append(commit, { unseen: true })));
          expect((await commitsOf(log, stream)).map(({ id }) => id)).toEqual(commits.map(({ id }) => id));
          if (!withCommands) continue;
          // A caller that is wrong about it gets the usual answer.
          const { repeated } = await other.append(commits[1]!, { unseen: true });
          expect(repeated?.id).toBe(commits[1]!.id);
          expect(await commitsOf(log, stream)).toHaveLength(60);
        }
      });

      it('of a command is answered with the commit of the first one', async () => {
        for (const category of ALL_CATEGORIES) {
          const stream = `${category}-${newBot()}`;
          const command = { id: randomUUID(), bodyHash: 'h1', answer: { ok: true, ids: [1, 2] } };
          const first = newCommit(stream, { command });
          await log.append(first);
          const again = await other.append(newCommit(stream, { command: { id: command.id, bodyHash: 'h2' } }));
          expect(again.repeated).toMatchObject({ id: first.id, command });
          expect(await other.findCommand(stream, command.id, first.at)).toEqual(again.repeated);
          expect(await other.findCommand(stream, randomUUID(), first.at)).toBeNull();
          expect(await commitsOf(log, stream)).toMatchObject([{ id: first.id }]);
        }
      });

      it('of a command differs from the first when both arrive together', async () => {
        for (const category of ALL_CATEGORIES) {
          const stream = `${category}-${newBot()}`;
          const command = { id: randomUUID() };
          const results = await Promise.all(
            Array.from({ length: 20 }, (_, i) => (i % 2 ? log : other).append(newCommit(stream, { command }))),
          );
          const [winner, ...more] = await commitsOf(log, stream);
          expect(more).toEqual([]);
          expect(results.filter(({ repeated }) => repeated === null)).toHaveLength(1);
          for (const { position, repeated } of results) {
            expect(position).toBe(winner!.position);
            if (repeated !== null) expect(repeated).toEqual(winner);
          }
        }
      });

      it('is a new command if the first one was refused with a conflict', async () => {
        const stream = `bot-${newBot()}`;
        await log.append(newCommit(stream));
        const lost = newCommit(stream, { command: { id: randomUUID() }, expected: { revision: 5, hash: 'x' } });
        await expect(log.append(lost)).rejects.toThrow(ConflictError);
        const { head } = await log.read(stream);
        expect(await log.findCommand(stream, lost.command!.id, lost.at)).toBeNull();
        expect(await log.append({ ...lost, expected: head })).toMatchObject({ head: { revision: 2 }, repeated: null });
      });

      it('on intake is remembered for a day of the log, on exact streams forever', async () => {
        const at = Date.now() - 10 * COMMAND_MEMORY_MS;
        const bot = newBot();
        const [intake, exact] = [{ id: randomUUID() }, { id: randomUUID() }];
        await log.append(newCommit(`intake-${bot}`, { at, command: intake }));
        await log.append(newCommit(`bot-${bot}`, { at, command: exact }));
        const later = async (stream: string, ms: number, command: { id: string }): Promise<Appended> => {
          const found = await other.findCommand(stream, command.id, at + ms);
          const appended = await log.append(
            newCommit(stream, { at: at + ms, command, expected: stream.startsWith('bot') ? EMPTY_STREAM : 'any' }),
          );
          expect(appended.repeated).toEqual(found);
          return appended;
        };
        expect((await later(`intake-${bot}`, COMMAND_MEMORY_MS - 1, intake)).repeated).not.toBeNull();
        expect((await later(`intake-${bot}`, COMMAND_MEMORY_MS, intake)).repeated).toBeNull();
        expect((await later(`intake-${bot}`, COMMAND_MEMORY_MS + 5, intake)).repeated).not.toBeNull();
        expect((await later(`bot-${bot}`, 9 * COMMAND_MEMORY_MS, exact)).repeated).not.toBeNull();
        expect((await later(`intake-${bot}`, 9 * COMMAND_MEMORY_MS, exact)).repeated).not.toBeNull();
      });

      it.runIf(engine.capabilities.commandsAcrossKeys)('of a command is recognised on another bot too', async () => {
        const command = { id: randomUUID() };
        const first = newCommit(`intake-${newBot()}`, { command });
        await log.append(first);
        expect((await log.append(newCommit(`intake-${newBot()}`, { command }))).repeated?.id).toBe(first.id);
      });
    });

    it('behaves as the model does, for any operations in any order', async () => {
      const op = fc.record({
        stream: fc.constantFrom('bot', 'bot/x', 'intake'),
        expected: fc.constantFrom('right', 'right', 'right', 'behind', 'ahead', 'hash'),
        commit: fc.option(fc.nat(4), { freq: 3 }),
        command: fc.option(fc.nat(2), { freq: 2 }),
        elsewhere: fc.boolean(),
      });
      const models: Model[] = [];
      await fc.assert(
        fc.asyncProperty(fc.array(op, { minLength: 1, maxLength: 12 }), async (ops) => {
          const model = new Model(newBot());
          for (const { stream, expected, commit: reuse, command, elsewhere } of ops) {
            const commit = model.commit(stream, expected, reuse, command);
            const told = model.apply(commit);
            const result = await (elsewhere ? other : log).append(commit).then(outcomeOf, outcomeOf);
            const silent =
              !engine.capabilities.reportsRepeatedIntake && commit.expected === 'any' && commit.command === undefined;
            if (!silent) expect(result).toEqual(told);
            model.learn(commit.stream, (await log.read(commit.stream)).head);
          }
          models.push(model);
        }),
        { numRuns: 25 },
      );
      const all = await readAll(other);
      for (const model of models)
        expect(all.filter(({ stream }) => model.owns(stream)).map(({ id }) => id)).toEqual(model.order);
    });

    describe('a subscription', () => {
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
        await expect.poll(() => commits, { timeout: 10_000 }).toBe(40);
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
        const appended = await Promise.all(
          Array.from({ length: 20 }, () => log.append(newCommit(`intake-${newBot()}`))),
        );
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

    it('signals growth after an append by another instance, and not before', async () => {
      await log.append(newCommit(`intake-${newBot()}`));
      // Notifications of earlier appends may be late; then none comes.
      let grown = log.grown();
      const quiet = async (): Promise<boolean> => {
        grown = log.grown();
        await pause(1500, grown);
        return !grown.aborted;
      };
      await expect.poll(quiet, { timeout: 30_000 }).toBe(true);
      await other.append(newCommit(`intake-${newBot()}`));
      await expect.poll(() => grown.aborted, { timeout: 20_000 }).toBe(true);
    });

    it('loses, repeats and reorders no commit under concurrent writers and readers', async () => {
      const bots = Array.from({ length: 3 }, newBot);
      const stop = new AbortController();
      const readers = followAll([log, other], await log.endCursor(), stop.signal);
      const acknowledged: string[] = [];
      await Promise.all(
        Array.from({ length: 8 }, async (_, writer) => {
          for (let n = 0; n < 25; n++) {
            const commit = nthCommit(bots, writer, n);
            await persist(writer % 2 ? log : other, commit);
            acknowledged.push(commit.id);
          }
        }),
      );
      const head = await log.endCursor();
      await Promise.all(readers.map((reader) => reader.until(head)));
      stop.abort();
      expectExactlyOnce(readers, acknowledged, bots);
    });

    const { sharedByOsProcesses } = engine.capabilities;
    it.runIf(sharedByOsProcesses)(
      'has each commit of a killed writer whole or not at all, and a retry changes nothing',
      async () => {
        const stream = `intake-${newBot()}`;
        const { sending, done } = await writeAndKill({ env: under.env, stream }, 30);
        const first = await commitsOf(log, stream);
        const ids = first.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of done) expect(ids).toContain(id);
        for (const id of ids) expect(sending.map((commit) => commit.id)).toContain(id);
        for (const { id, events } of first)
          expect(events.map(({ data }) => data)).toEqual([0, 1, 2, 3, 4].map((n) => ({ id, n })));

        await Promise.all(sending.map((commit) => log.append(commit)));
        const second = await commitsOf(log, stream);
        expect(second.slice(0, first.length)).toEqual(first);
        expect(second.map(({ id }) => id).sort()).toEqual(sending.map(({ id }) => id).sort());
      },
    );

    longOnly('replays 100,000 events in flat memory', async () => {
      const bot = newBot();
      const after = await log.endCursor();
      const filler = 'x'.repeat(400);
      for (let group = 0; group < 10; group++)
        await Promise.all(
          Array.from({ length: 500 }, (_, i) => {
            const events = Array.from({ length: 20 }, (_, n) => ({ type: 'Happened', v: 1, data: { i, n, filler } }));
            return log.append(newCommit(`intake-${bot}`, { events }));
          }),
        );
      const to = await log.endCursor();
      const cursor = new Map<number, Position>(after);
      const stop = new AbortController();
      const used = [usedMemory()];
      let events = 0;
      for await (const batch of other.subscribe({ categories: ['intake'], after, signal: stop.signal })) {
        for (const commit of batch.commits) events += commit.events.length;
        cursor.set(batch.partition, batch.last);
        if (events > used.length * 10_000) used.push(usedMemory());
        if (hasPassedAll(cursor, to)) break;
      }
      expect(events).toBe(100_000);
      // All commits together are 45 MB of text. Only the buffers and one batch are in memory at once.
      expect(Math.max(...used) - used[0]!).toBeLessThan(32 << 20);
    });

    it('passes an audit, and shows it every record and every stream head', async () => {
      await fillLog(log, newBot());
      const pool = new pg.Pool({ connectionString: under.env['DATABASE_URL'] });
      const { signal } = new AbortController();
      const found = await findings(log, pool);
      await pool.end();
      // Tests above append on top of heads that never existed. An engine may store those commits as void.
      expect(found.filter(({ kind }) => kind !== 'void')).toEqual([]);

      const stored: string[] = [];
      for await (const records of log.storedRecords(signal))
        for (const record of records) if (record.void === null) stored.push(`${record.position} ${record.commit?.id}`);
      const read = (await readAll(log)).map(({ position, id }) => `${position} ${id}`);
      expect(stored.sort()).toEqual(read.sort());
      const ends = new Map<string, StreamHead>();
      for await (const heads of log.indexedStreamHeads()) for (const [stream, head] of heads) ends.set(stream, head);
      expect(ends.size).toBeGreaterThan(5);
      for (const [stream, head] of [...ends].slice(0, 20)) expect((await other.read(stream)).head).toEqual(head);
    });

    it('refuses appends once it is closed', async () => {
      const closed = await under.open();
      const last = closed.append(newCommit(`intake-${newBot()}`));
      await closed.close();
      await last;
      await expect(closed.append(newCommit(`intake-${newBot()}`))).rejects.toThrow(LogUnavailableError);
    });
  });
}

/** The commits of one stream, as a subscriber receives them. */
async function commitsOf(log: EventLog, stream: string): Promise<RecordedCommit[]> {
  return (await readAll(log)).filter((commit) => commit.stream === stream);
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes in use after a garbage collection. */
function usedMemory(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

type Outcome =
  | { readonly appended: number | null }
  | { readonly repeated: string }
  | { readonly conflict: number }
  | { readonly failed: unknown };

function outcomeOf(result: unknown): Outcome {
  if (result instanceof ConflictError) return { conflict: result.actual };
  if (result instanceof Error) return { failed: result };
  const { repeated, head } = result as Appended;
  return repeated === null ? { appended: head?.revision ?? null } : { repeated: repeated.id };
}

/** One bot's log as the port describes it, in memory. */
class Model {
  readonly order: string[] = [];
  readonly #bot: string;
  readonly #revisions = new Map<string, number>();
  readonly #heads = new Map<string, StreamHead>();
  readonly #commands = new Map<string, string>();
  readonly #ids = Array.from({ length: 10 }, () => randomUUID() as string);
  readonly #commandIds = Array.from({ length: 3 }, () => randomUUID() as string);

  constructor(bot: string) {
    this.#bot = bot;
  }

  owns(stream: string): boolean {
    return stream.includes(this.#bot);
  }

  commit(name: string, expected: string, reuse: number | null, command: number | null): NewCommit {
    const [category, rest] = name.split('/');
    const stream = `${category}-${this.#bot}${rest === undefined ? '' : `/${rest}`}`;
    const head = this.#heads.get(stream) ?? EMPTY_STREAM;
    const wrong: Record<string, StreamHead> = {
      right: head,
      behind: head.revision === 0 ? head : EMPTY_STREAM,
      ahead: { revision: head.revision + 1, hash: head.hash },
      hash: { revision: head.revision, hash: '0'.repeat(64) },
    };
    return newCommit(stream, {
      expected: category === 'intake' ? 'any' : wrong[expected]!,
      // The same id is the same commit, perhaps decided again. It never moves to the other kind of stream.
      ...(reuse === null ? {} : { id: this.#ids[category === 'intake' ? reuse : reuse + 5]! }),
      ...(command === null ? {} : { command: { id: this.#commandIds[command]! } }),
    });
  }

  apply(commit: NewCommit): Outcome {
    const holder = commit.command && this.#commands.get(commit.command.id);
    if (holder !== undefined) return { repeated: holder };
    if (this.order.includes(commit.id)) return { repeated: commit.id };
    const revision = this.#revisions.get(commit.stream) ?? 0;
    if (commit.expected !== 'any') {
      const head = this.#heads.get(commit.stream) ?? EMPTY_STREAM;
      if (commit.expected.revision !== revision || commit.expected.hash !== head.hash) return { conflict: revision };
      this.#revisions.set(commit.stream, revision + 1);
    }
    this.order.push(commit.id);
    if (commit.command !== undefined) this.#commands.set(commit.command.id, commit.id);
    return { appended: commit.expected === 'any' ? null : revision + 1 };
  }

  /** Takes over the head with its hash, since only the log calculates hashes. */
  learn(stream: string, head: StreamHead): void {
    if (head.revision > 0) this.#heads.set(stream, head);
  }
}

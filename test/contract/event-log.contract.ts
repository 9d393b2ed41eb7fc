import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Appended,
  ConflictError,
  EMPTY_STREAM,
  type EventLog,
  hasPassedAll,
  LogUnavailableError,
  type NewCommit,
  type Position,
  type RecordedCommit,
  type StreamHead,
} from '../../src/log/port.ts';
import { pause } from '../../src/util/pause.ts';
import { newBot, newCommit, readAll } from '../support/log.ts';
import { fillLog, findings } from '../support/log-audit.ts';
import { expectExactlyOnce, followAll, nthCommit, persist } from '../support/log-stress.ts';
import { writeAndKill } from '../support/log-writer-process.ts';
import { longOnly } from '../support/long-only.ts';
import { withSharedReader } from '../support/with-shared-reader.ts';
import { describeExactStreams } from './exact-streams.contract.ts';
import { describeRepeats } from './repeats.contract.ts';
import { describeSubscriptions } from './subscriptions.contract.ts';

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

/** Two handles on the log of the tests. */
export interface OpenLogs {
  readonly log: EventLog;
  /** As another process sees the log. */
  readonly other: EventLog;
}

export interface EngineUnderTest {
  readonly name: string;
  readonly capabilities: Capabilities;
  /** A fresh, empty log. */
  create(): Promise<LogUnderTest>;
}

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

    describeExactStreams(() => ({ log, other }));

    describeRepeats(() => ({ log, other }), engine);

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

    describeSubscriptions(() => ({ log, other }));
    describe('read by all through one reader', () => {
      let shared: OpenLogs;
      beforeAll(() => {
        shared = { log: withSharedReader(log), other: withSharedReader(other) };
      });
      describeSubscriptions(() => shared);
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
      await expect.poll(quiet).toBe(true);
      await other.append(newCommit(`intake-${newBot()}`));
      await expect.poll(() => grown.aborted).toBe(true);
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
      pool.on('error', () => {}); // the database may be dropped before the connections have closed
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

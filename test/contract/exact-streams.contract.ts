import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyChain } from '../../src/log/commit-codec.ts';
import { BrokenChainError, ConflictError, EMPTY_STREAM, type EventLog, type StreamHead } from '../../src/log/port.ts';
import { appendOnTop, newBot, newCommit, readAll } from '../support/log.ts';
import type { OpenLogs } from './event-log.contract.ts';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** The promises about exact streams. @param logs once the log is open */
export function describeExactStreams(logs: () => OpenLogs): void {
  describe('exact streams', () => {
    let log: EventLog;
    /** The same log, as another process sees it. */
    let other: EventLog;
    beforeAll(() => {
      ({ log, other } = logs());
    });
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
}

import { expect, it } from 'vitest';
import { type ResolveAudience, resolveAudience } from '../../../src/commands/broadcast/resolve-audience.ts';
import { unpackChats } from '../../../src/domain/broadcast/packed-chats.ts';
import { OutcomeUnknownError } from '../../../src/log/port.ts';
import { type MemoryLog, memoryLog } from '../../support/memory-log.ts';
import { testSources } from '../../support/test-sources.ts';

const NOW = Date.UTC(2025, 5, 11);
const ALL = Array.from({ length: 10 }, (_, index) => index * 3 - 4);

function setUp() {
  const log = memoryLog();
  const sources = testSources(NOW);
  return { log, sources, context: { log, sources } };
}

/** Gives chats in chunks of three, and records the arguments. */
function source(chats: readonly number[] = ALL) {
  const asked: { asOf: number; after: number | null }[] = [];
  const command: ResolveAudience = {
    bot: 'bot',
    broadcastId: 5,
    async *chats(from) {
      asked.push(from);
      const rest = chats.filter((chat) => from.after === null || chat > from.after);
      for (let at = 0; at < rest.length; at += 3) yield rest.slice(at, at + 3);
    },
  };
  return { asked, command };
}

interface Frozen {
  readonly type: string;
  readonly data: { readonly chats?: string; readonly index: number; readonly offset: number; readonly count: number };
}

/** Returns the chats of the audience's stream, in order, and the count that it was closed with. */
function frozen({ commits }: MemoryLog): { chats: number[]; count: number | undefined } {
  const events = commits.flat().flatMap((commit) => {
    expect(commit.stream).toBe('audience-bot/5');
    return commit.events as unknown as Frozen[];
  });
  const chats: number[] = [];
  for (const [index, { type, data }] of events.entries()) {
    if (type === 'audience_closed') {
      expect(index).toBe(events.length - 1);
      return { chats, count: data.count };
    }
    expect(data).toMatchObject({ broadcast_id: 5, index, offset: chats.length, as_of: NOW });
    chats.push(...unpackChats(data.chats!));
  }
  return { chats, count: undefined };
}

it('freezes the audience chunk by chunk and closes it with the last', async () => {
  const { log, context } = setUp();
  const { command, asked } = source();
  const { count, position } = await resolveAudience(context, command);
  expect(count).toBe(10);
  expect(frozen(log)).toEqual({ chats: ALL, count: 10 });
  expect(log.commits.flat()).toHaveLength(4);
  expect(position).toBe(log.commits.flat().at(-1)!.position);
  expect(asked).toEqual([{ asOf: NOW, after: null }]);
});

it('an empty audience is closed too', async () => {
  const { log, context } = setUp();
  expect(await resolveAudience(context, source([]).command)).toMatchObject({ count: 0 });
  expect(frozen(log)).toEqual({ chats: [], count: 0 });
});

it('a closed audience does not change', async () => {
  const { log, context } = setUp();
  const first = await resolveAudience(context, source().command);
  const { command, asked } = source([...ALL, 1000]);
  expect(await resolveAudience(context, command)).toEqual(first);
  expect(asked).toEqual([]);
  expect(log.commits.flat()).toHaveLength(4);
});

it.each([0, 1, 2, 3])('resumes after %i chunks, as of the same moment', async (chunks) => {
  const { log, sources, context } = setUp();
  let appended = 0;
  const append: MemoryLog['append'] = async (commit) => {
    if (appended === chunks) throw new OutcomeUnknownError('killed');
    appended += 1;
    return log.append(commit);
  };
  await expect(resolveAudience({ ...context, log: { ...log, append } }, source().command)).rejects.toThrow('killed');
  expect(frozen(log).chats).toEqual(ALL.slice(0, chunks * 3));

  if (chunks > 0) sources.advance(1000);
  const { command, asked } = source();
  expect(await resolveAudience(context, command)).toMatchObject({ count: 10 });
  expect(frozen(log)).toEqual({ chats: ALL, count: 10 });
  expect(asked).toEqual([{ asOf: NOW, after: chunks === 0 ? null : ALL[chunks * 3 - 1] }]);
});

it('does not freeze a chunk again whose append had an unknown outcome', async () => {
  const { log, context } = setUp();
  const append: MemoryLog['append'] = async (commit) => {
    await log.append(commit);
    throw new OutcomeUnknownError('the answer was lost');
  };
  for (let chunk = 1; chunk <= 4; chunk += 1) {
    const attempt = resolveAudience({ ...context, log: { ...log, append } }, source().command);
    await expect(attempt).rejects.toThrow('lost');
    expect(log.commits.flat()).toHaveLength(chunk);
  }
  expect(await resolveAudience(context, source().command)).toMatchObject({ count: 10 });
  expect(frozen(log)).toEqual({ chats: ALL, count: 10 });
});

it('several resolvers freeze one audience', async () => {
  const { log, context } = setUp();
  const others = ALL.map((chat) => chat + 2);
  const answers = await Promise.all(
    [ALL, others, ALL, others].map((chats) => resolveAudience(context, source(chats).command)),
  );
  const { chats, count } = frozen(log);
  expect(answers.map((answer) => answer.count)).toEqual(Array(4).fill(count));
  expect(chats).toHaveLength(count!);
  expect([...new Set(chats)].sort((a, b) => a - b)).toEqual(chats);
});

it('stops between two chunks when told to', async () => {
  const { log, context } = setUp();
  const stopping = new AbortController();
  const append: MemoryLog['append'] = async (commit) => {
    const appended = await log.append(commit);
    if (log.commits.flat().length === 2) stopping.abort(new Error('cancelled'));
    return appended;
  };
  const attempt = resolveAudience(
    { ...context, log: { ...log, append } },
    { ...source().command, signal: stopping.signal },
  );
  await expect(attempt).rejects.toThrow('cancelled');
  expect(frozen(log)).toEqual({ chats: ALL.slice(0, 6), count: undefined });
});

it('reads one chunk ahead, and closes the source when it ends early', async () => {
  const { log, context } = setUp();
  let given = 0;
  let closed = false;
  const seen: number[] = [];
  const append: MemoryLog['append'] = async (commit) => {
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(given);
    if (seen.length === 2) throw new OutcomeUnknownError('killed');
    return log.append(commit);
  };
  const command: ResolveAudience = {
    bot: 'bot',
    broadcastId: 5,
    async *chats() {
      try {
        for (let chat = 1; chat <= 10; chat += 1) {
          given = chat;
          yield [chat];
        }
      } finally {
        closed = true;
      }
    },
  };
  await expect(resolveAudience({ ...context, log: { ...log, append } }, command)).rejects.toThrow('killed');
  expect(seen).toEqual([3, 4]);
  expect(closed).toBe(true);
});

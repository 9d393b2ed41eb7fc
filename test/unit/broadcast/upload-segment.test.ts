import { describe, expect, it } from 'vitest';
import { createBroadcast } from '../../../src/commands/broadcast/create-broadcast.ts';
import { segmentOf, uploadFrozenSegment, uploadSegment } from '../../../src/commands/broadcast/upload-segment.ts';
import type { CommandContext, CommandMeta } from '../../../src/commands/decide-and-append.ts';
import { createIdPool } from '../../../src/commands/reserve-ids.ts';
import { unpackChats } from '../../../src/domain/broadcast/packed-chats.ts';
import { addPart, partsOf, type SegmentPart, segment } from '../../../src/domain/broadcast/segment.ts';
import { DEFAULT_SETTINGS } from '../../../src/domain/broadcast/settings.ts';
import { type EventLog, LogUnavailableError } from '../../../src/log/port.ts';
import { given } from '../../support/decider-specification.ts';
import { type MemoryLog, memoryLog } from '../../support/memory-log.ts';
import { testSources } from '../../support/test-sources.ts';

const BOT = 'bShop';
const CHATS = Array.from({ length: 120_000 }, (_, index) => index * 3 - 60_001);
const ids = { segment_id: 3, broadcast_id: 7 };

async function world() {
  const context: CommandContext & { log: MemoryLog } = { log: memoryLog(), sources: testSources() };
  const content = {
    name: null,
    message: {},
    segmentations: '{"include":[],"exclude":[]}',
    settings: DEFAULT_SETTINGS,
    date_send: null,
  };
  const { broadcast } = await createBroadcast(
    context,
    { ids: createIdPool(context, 'broadcast'), bot: BOT, ownerId: 1, type: 'sendMessage', content, activate: null },
    {},
  );
  const pool = createIdPool(context, 'segment');
  const upload = (log: EventLog, meta: CommandMeta = {}) =>
    uploadSegment({ ...context, log }, pool, { bot: BOT, id: broadcast.id }, CHATS, meta);
  const freeze = (log: EventLog, meta: CommandMeta = {}) =>
    uploadFrozenSegment({ ...context, log }, pool, { bot: BOT, id: broadcast.id }, CHATS, meta);
  /** The parts of each segment in the log. */
  const stored = () => {
    const parts = new Map<string, SegmentPart[]>();
    for (const { stream, events } of context.log.commits.flat())
      if (stream.startsWith('segment-'))
        parts.set(stream, [...(parts.get(stream) ?? []), ...events.map(({ data }) => data as SegmentPart)]);
    return parts;
  };
  return { ...context, upload, freeze, stored };
}

describe('a list of chats', () => {
  it('comes in parts that follow each other, each once', () => {
    const parts = partsOf(CHATS, ids);
    expect(parts.map(({ part, parts, count }) => [part, parts, count])).toEqual([
      [0, 3, 120_000],
      [1, 3, 120_000],
      [2, 3, 120_000],
    ]);
    expect(parts.flatMap(({ chats }) => unpackChats(chats))).toEqual(CHATS);
    const [first, second, third] = parts;
    const added = (data: SegmentPart) => ({ type: 'segment_part_uploaded' as const, data });
    given(segment)
      .when((state) => addPart(state, first!))
      .yields(added(first!));
    given(segment, added(first!))
      .when((state) => addPart(state, first!))
      .yieldsNothing();
    given(segment, added(first!))
      .when((state) => addPart(state, second!))
      .yields(added(second!));
    given(segment, added(first!))
      .when((state) => addPart(state, third!))
      .isRefused('conflict', 'part');
  });

  it('that was broken off is completed by a repeat, under the id that it had', async () => {
    const { log, upload, stored } = await world();
    const command = { id: '01941f29-7c00-5000-8000-000000000001', bodyHash: 'h' };
    let appended = 0;
    const dying: EventLog = {
      ...log,
      append: async (commit) => {
        if (commit.stream.startsWith('segment-') && ++appended > 2) throw new LogUnavailableError('killed');
        return log.append(commit);
      },
    };
    await expect(upload(dying, { command })).rejects.toThrow('killed');
    expect([...stored().values()].map((parts) => parts.length)).toEqual([2]);
    const repeated = await upload(log, { command });
    expect([...stored().values()].map((parts) => parts.length)).toEqual([3]);
    expect([...stored().values()][0]![0]!.segment_id).toBe(repeated.segmentId);
    expect((await upload(log, { command })).segmentId).toBe(repeated.segmentId);
    // With another body it is no repeat: nothing is added.
    const other = await upload(log, { command: { ...command, bodyHash: 'other' } });
    expect(other.repeated?.command?.bodyHash).toBe('h');
    expect([...stored().values()].map((parts) => parts.length)).toEqual([3]);
  });

  it('that a repeat could not give again is replaced after a break, and is complete once its key is in the log', async () => {
    const { log, sources, freeze, stored } = await world();
    const command = { id: '01941f29-7c00-5000-8000-000000000002', bodyHash: 'h' };
    let appended = 0;
    const dying: EventLog = {
      ...log,
      append: async (commit) => {
        if (commit.stream.startsWith('segment-') && ++appended > 2) throw new LogUnavailableError('killed');
        return log.append(commit);
      },
    };
    await expect(freeze(dying, { command })).rejects.toThrow('killed');
    expect(await log.findCommand('segment-bShop/1', command.id, sources.now())).toBeNull();
    const done = await freeze(log, { command });
    const first = await log.findCommand('segment-bShop/1', command.id, sources.now());
    expect(segmentOf(first!)).toMatchObject({ segment_id: done.segmentId, count: 120_000 });
    const parts = stored().get(`segment-${BOT}/${done.segmentId}`)!;
    expect(parts.flatMap(({ chats }) => unpackChats(chats))).toEqual(CHATS);
    // Another instance repeats it: the first list stays.
    expect((await freeze(log, { command })).repeated?.events).toEqual(first!.events);
  });

  it('without a key is another one each time', async () => {
    const { log, upload, stored } = await world();
    const [first, second] = [await upload(log), await upload(log)];
    expect(first.segmentId).not.toBe(second.segmentId);
    expect(stored().size).toBe(2);
  });
});

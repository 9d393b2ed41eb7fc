import { audienceChunkFrozen } from '../../domain/broadcast/audience-events.ts';
import { unpackChats } from '../../domain/broadcast/packed-chats.ts';
import { audienceStream } from '../../domain/streams.ts';
import { EMPTY_STREAM, type EventLog } from '../../log/port.ts';
import type { BroadcastName } from './change.ts';

/** The frozen audience of a broadcast, in its order: ascending. @throws BrokenChainError, UnreadableEventError */
export async function frozenChats(log: EventLog, { bot, id }: BroadcastName): Promise<number[]> {
  const stream = audienceStream(bot, id);
  const chats: number[] = [];
  for (let head = EMPTY_STREAM, count = PAGE; count === PAGE; ) {
    const page = await log.read(stream, head, PAGE);
    for (const { events } of page.commits)
      for (const event of events)
        if (event.type === audienceChunkFrozen.type)
          for (const chat of unpackChats(audienceChunkFrozen.read(event).data.chats)) chats.push(chat);
    head = page.head;
    count = page.commits.length;
  }
  return chats;
}

/** Commits of some 10,000 chats each. */
const PAGE = 10;

import { z } from 'zod';
import { type Decision, decider } from '../decider.ts';
import { type EventOf, eventType } from '../event-type.ts';
import { Rejection } from '../rejection.ts';
import { packChats, unpackChats } from './packed-chats.ts';

/** The frozen audience of a broadcast, on `audience-<bot>/<id>`: chunks in order, then the end. */

const broadcast_id = z.number().int().positive();
const count = z.number().int().nonnegative();

export const audienceChunkFrozen = eventType(
  'audience_chunk_frozen',
  1,
  z.object({
    broadcast_id,
    /** The number of the chunk, from 0. */
    index: count,
    /** How many chats the earlier chunks have: the index of its first chat in the frozen order, from 0. */
    offset: count,
    /** When the resolution began; days are counted back from here. The same in all chunks. */
    as_of: z.number().int(),
    /** Packed (packed-chats.ts): ascending, above the chats of the chunk before. */
    chats: z.string(),
  }),
);

/** The audience is complete, with `count` chats: no chunk follows. */
export const audienceClosed = eventType('audience_closed', 1, z.object({ broadcast_id, count }));

/**
 * Stream `audience-<bot>/<broadcast id>`: the recipients of a broadcast, frozen chunk by chunk. Each chunk begins above
 * the last chat of the one before, and the end is an event too. So a worker that resumes after another's crash, or
 * works at the same time, can neither double a chat nor add one to an audience that is being sent to.
 */
export interface FrozenAudience {
  /** When its resolution began, ms UTC; null: it has no chunk. */
  readonly asOf: number | null;
  readonly chunks: number;
  readonly count: number;
  /** The greatest chat so far; null: there is none. */
  readonly last: number | null;
  readonly closed: boolean;
}

export type AudienceEvent = EventOf<typeof audienceChunkFrozen | typeof audienceClosed>;

export const frozenAudience = decider(
  [audienceChunkFrozen, audienceClosed],
  (): FrozenAudience => ({ asOf: null, chunks: 0, count: 0, last: null, closed: false }),
  (state, event): FrozenAudience => {
    if (event.type === 'audience_closed') return { ...state, closed: true };
    const { as_of: asOf, chats: packed } = event.data;
    const chats = unpackChats(packed);
    const count = state.count + chats.length;
    return { ...state, asOf, chunks: state.chunks + 1, count, last: chats.at(-1) ?? state.last };
  },
);

export interface FreezeChunk {
  readonly broadcastId: number;
  /** When the resolution began, ms UTC. */
  readonly asOf: number;
  /** Ascending. */
  readonly chats: readonly number[];
  /** Whether these are the last. */
  readonly isLast: boolean;
}

/** @returns a conflict if these chats do not continue the audience */
export function freezeChunk(state: FrozenAudience, command: FreezeChunk): Decision<AudienceEvent> {
  const { broadcastId: broadcast_id, asOf, chats, isLast } = command;
  if (state.closed) return conflict('is closed');
  if (state.asOf !== null && state.asOf !== asOf) return conflict('is of another moment');
  if (state.last !== null && chats.length > 0 && chats[0]! <= state.last) return conflict('is beyond these chats');
  const events: AudienceEvent[] = [];
  if (chats.length > 0) {
    const { chunks: index, count: offset } = state;
    const data = { broadcast_id, index, offset, as_of: asOf, chats: packChats(chats) };
    events.push({ type: 'audience_chunk_frozen', data });
  }
  if (isLast) events.push({ type: 'audience_closed', data: { broadcast_id, count: state.count + chats.length } });
  return events;
}

function conflict(what: string): Rejection {
  return new Rejection('conflict', 'chats', `the audience ${what}`);
}

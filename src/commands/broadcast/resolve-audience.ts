import {
  audienceChunkFrozen,
  type FreezeChunk,
  type FrozenAudience,
  freezeChunk,
  frozenAudience,
} from '../../domain/broadcast/audience-frozen.ts';
import { unpackChats } from '../../domain/broadcast/packed-chats.ts';
import { audienceStream } from '../../domain/streams.ts';
import { ConflictError, EMPTY_STREAM, type EventLog, type Position } from '../../log/port.ts';
import { type CommandContext, decideAndAppend, type Loaded, load } from '../decide-and-append.ts';
import type { BroadcastName } from './change-broadcast.ts';

export interface ResolveAudience {
  /** Public key of the broadcast's bot. */
  readonly bot: string;
  readonly broadcastId: number;
  /** The chats of the present audience, ascending, in chunks of at least one. Days are counted back from `asOf`. */
  readonly chats: (from: {
    /** Ms UTC. */
    readonly asOf: number;
    /** Only chats above; null: all. */
    readonly after: number | null;
  }) => AsyncIterable<readonly number[]>;
  /** Ends it with the signal's reason, between two chunks. Frozen chunks stay, and the next call resumes after them. */
  readonly signal?: AbortSignal;
}

export interface ResolvedAudience {
  readonly count: number;
  /** A reader that has passed this position has the whole audience. */
  readonly position: Position;
}

/**
 * Freezes the audience of a broadcast: a commit for each chunk, while the next chunk is fetched, then the end. It may be
 * called again after a crash at any moment, or by several callers at once: a frozen chunk is not frozen again, and after
 * the end every call answers the same.
 * @throws LogUnavailableError, OutcomeUnknownError as `EventLog.append`, and errors of `chats`
 */
export async function resolveAudience(context: CommandContext, command: ResolveAudience): Promise<ResolvedAudience> {
  const { bot, broadcastId, signal } = command;
  const stream = audienceStream(bot, broadcastId);
  let loaded = await load(context.log, frozenAudience, stream);
  // Each conflict means that another caller froze a chunk or closed the audience.
  while (!loaded.state.closed) {
    signal?.throwIfAborted();
    const asOf = loaded.state.asOf ?? context.sources.now();
    const chunks = ahead(command.chats({ asOf, after: loaded.state.last }));
    try {
      for await (const { chats, isLast } of chunks) {
        signal?.throwIfAborted();
        loaded = await append(context, stream, loaded, { broadcastId, asOf, chats, isLast });
      }
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      loaded = await load(context.log, frozenAudience, stream, loaded);
    }
  }
  return { count: loaded.state.count, position: loaded.position! };
}

async function append(
  context: CommandContext,
  stream: string,
  known: Loaded<FrozenAudience>,
  chunk: FreezeChunk,
): Promise<Loaded<FrozenAudience>> {
  const decide = (state: FrozenAudience) => freezeChunk(state, chunk);
  await decideAndAppend(context, frozenAudience, stream, decide, { known, onFailure: giveUp });
  return load(context.log, frozenAudience, stream, known);
}

/** After a conflict the chunks are fetched again. */
function giveUp(error: unknown): never {
  throw error;
}

/**
 * Yields each chunk, and whether it is the last. The next chunk is fetched while one is used. Without any chat it yields
 * one chunk without chats.
 */
async function* ahead(
  chunks: AsyncIterable<readonly number[]>,
): AsyncGenerator<{ readonly chats: readonly number[]; readonly isLast: boolean }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const next = () => {
    const chunk = iterator.next();
    chunk.catch(() => {}); // thrown where it is awaited, unless the caller has stopped before
    return chunk;
  };
  try {
    let present = await next();
    if (present.done) yield { chats: [], isLast: true };
    for (let asked = next(); !present.done; ) {
      const following = await asked;
      if (!following.done) asked = next();
      yield { chats: present.value, isLast: following.done === true };
      present = following;
    }
  } finally {
    await iterator.return?.();
  }
}

/** Loads the frozen audience of a broadcast, ascending. @throws BrokenChainError, UnreadableEventError */
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

/** Commits of about 10,000 chats each. */
const PAGE = 10;

import {
  type FreezeChunk,
  type FrozenAudience,
  freezeChunk,
  frozenAudience,
} from '../../domain/broadcast/audience-frozen.ts';
import { Rejection } from '../../domain/rejection.ts';
import { audienceStream } from '../../domain/streams.ts';
import { ConflictError, type Position } from '../../log/port.ts';
import type { CommandContext } from '../handle.ts';
import { type Loaded, load } from '../load.ts';

export interface ResolveAudience {
  /** Public key of the broadcast's bot. */
  readonly bot: string;
  readonly broadcastId: number;
  /** The chats of the audience as it is now, ascending, in chunks of any size but 0, with days counted back from `asOf`. */
  readonly chats: (from: {
    /** Ms UTC. */
    readonly asOf: number;
    /** Only those above; null: all. */
    readonly after: number | null;
  }) => AsyncIterable<readonly number[]>;
  /** Ends it with the signal's reason, between two chunks. What is frozen stays, and the next call goes on there. */
  readonly signal?: AbortSignal;
}

export interface ResolvedAudience {
  readonly count: number;
  /** Whoever has passed it has the whole audience. */
  readonly position: Position;
}

/**
 * Freezes the audience of a broadcast: a commit for each chunk, the next one fetched meanwhile, and the end. May be called
 * again after a crash at any moment, or by several at once: what is frozen is not frozen again, and once the audience is
 * closed every call answers the same.
 * @throws LogUnavailableError, OutcomeUnknownError as `EventLog.append`, and what `chats` throws
 */
export async function resolveAudience(context: CommandContext, command: ResolveAudience): Promise<ResolvedAudience> {
  const { bot, broadcastId, signal } = command;
  const stream = audienceStream(bot, broadcastId);
  let loaded = await load(context.log, frozenAudience, stream);
  // Each round that is lost was won by somebody who froze a chunk or closed the audience.
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
  { log, sources }: CommandContext,
  stream: string,
  loaded: Loaded<FrozenAudience>,
  chunk: FreezeChunk,
): Promise<Loaded<FrozenAudience>> {
  const decision = freezeChunk(loaded.state, chunk);
  if (decision instanceof Rejection) throw decision;
  const events = decision.map(frozenAudience.write);
  await log.append({ id: sources.uuid(), stream, expected: loaded.head, at: sources.now(), events });
  return load(log, frozenAudience, stream, loaded);
}

/** Each chunk with whether it is the last, the next one asked for while it is being used; one without chats if there is none. */
async function* ahead(
  chunks: AsyncIterable<readonly number[]>,
): AsyncGenerator<{ readonly chats: readonly number[]; readonly isLast: boolean }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const next = () => {
    const chunk = iterator.next();
    chunk.catch(() => {}); // thrown where it is awaited, unless nobody comes so far
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

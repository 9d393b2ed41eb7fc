import { type IdKind, ids, reserveIds as reserve } from '../domain/catalog/ids.ts';
import { idsStream } from '../domain/streams.ts';
import { type CommandContext, decideAndAppend } from './decide-and-append.ts';

/** Takes the next id of a kind. It is in the log before it is returned; one that is never used stays a gap. */
export async function reserveId(context: CommandContext, kind: IdKind): Promise<number> {
  return (await reserveBlock(context, kind, 1))[0]!;
}

async function reserveBlock(context: CommandContext, kind: IdKind, count: number): Promise<number[]> {
  const { events } = await decideAndAppend(context, ids, idsStream(kind), (state) => reserve(state, { kind, count }));
  const { from } = events[0]!.data;
  return Array.from({ length: count }, (_, index) => from + index);
}

/** Ids that are reserved before they are needed: an append for each block rather than for each id. */
export interface IdPool {
  /** Rising; each is given once. What this process still has when it ends stays a gap. */
  take(count: number): Promise<number[]>;
  /** Takes back what was not used. */
  giveBack(unused: readonly number[]): void;
}

const BLOCK = 100;

export function createIdPool(context: CommandContext, kind: IdKind): IdPool {
  let free: number[] = [];
  /** The reservation that is under way: who comes meanwhile waits for that one. */
  let reserving: Promise<void> | null = null;

  async function reserveFor(count: number): Promise<void> {
    try {
      free.push(...(await reserveBlock(context, kind, Math.max(BLOCK, count))));
    } finally {
      reserving = null;
    }
  }

  return {
    async take(count) {
      while (free.length < count) {
        reserving ??= reserveFor(count);
        await reserving;
      }
      return free.splice(0, count);
    },
    giveBack(unused) {
      if (unused.length > 0) free = [...free, ...unused].sort((a, b) => a - b);
    },
  };
}

import { type IdKind, type IdsState, ids, reserveIds as reserve } from '../domain/catalog/ids.ts';
import type { Decider, Decision } from '../domain/decider.ts';
import { Rejection } from '../domain/rejection.ts';
import { idsStream } from '../domain/streams.ts';
import { type CommandContext, type CommandMeta, type CommandResult, decideAndAppend } from './decide-and-append.ts';
import { idFloor } from './operations/recover.ts';

/** Takes the next id of a kind. The id is in the log before it is returned. An unused id stays a gap. */
export async function reserveId(context: CommandContext, kind: IdKind): Promise<number> {
  return (await reserveBlock(context, kind, 1))[0]!;
}

/** A placeholder for an id that is not reserved yet. No id is 0. */
export const NO_ID_YET = 0;

/**
 * As {@link decideAndAppend}, for a decision that needs an id. Reserves the id only when the decision needs it, so a refused
 * command does not grow the log.
 */
export function decideWithId<State, Event>(
  context: CommandContext,
  kind: IdKind,
  decider: Decider<State, Event>,
  stream: string,
  decide: (state: State, id: number, now: number) => Decision<Event>,
  meta: CommandMeta = {},
): Promise<CommandResult<Event>> {
  let id = NO_ID_YET;
  return decideAndAppend(context, decider, stream, (state, now) => decide(state, id, now), {
    ...meta,
    prepare(state, now) {
      if (id !== NO_ID_YET) return undefined;
      const decision = decide(state, NO_ID_YET, now);
      if (decision instanceof Rejection || decision.length === 0) return undefined;
      return reserveId(context, kind).then((reserved) => {
        id = reserved;
      });
    },
  });
}

async function reserveBlock(context: CommandContext, kind: IdKind, count: number): Promise<number[]> {
  const above = await idFloor(context.log, kind);
  const decide = (state: IdsState) => reserve(state, { kind, count, above });
  const { events } = await decideAndAppend(context, ids, idsStream(kind), decide);
  const { from } = events[0]!.data;
  return Array.from({ length: count }, (_, index) => from + index);
}

/** Reserves ids in blocks of {@link BLOCK}: one append for each block, not for each id. */
export interface IdPool {
  /** Returns ids in ascending order, each once. Unused ids stay gaps when the OS process ends. */
  take(count: number): Promise<number[]>;
  /** Takes back ids that were not used. */
  giveBack(unused: readonly number[]): void;
}

const BLOCK = 100;

export function createIdPool(context: CommandContext, kind: IdKind): IdPool {
  let free: number[] = [];
  /** The running reservation. Callers that come during it wait for it. */
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

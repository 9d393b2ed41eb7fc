import { LRUCache } from 'lru-cache';
import { type EventTypesState, eventTypes, registerNames } from '../../domain/catalog/event-types.ts';
import { Rejection } from '../../domain/rejection.ts';
import { eventTypesStream } from '../../domain/streams.ts';
import { ConflictError, EMPTY_STREAM, type StreamHead } from '../../log/port.ts';
import type { CommandContext } from '../handle.ts';

/** Event ids of custom events' names and of goals, on the way of every intake request. */
export interface EventTypeDirectory {
  /** The ids of names; those that have none get one, in the log before this resolves. @throws Rejection limit: its path is the index of a name */
  resolve(bot: string, names: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The event ids of the bot's goals, by target id; one is missing only after a fresh look at the log, the same for all. */
  goals(bot: string, targetIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
}

/** What is known of a bot: its stream's fold so far. Ids never change, so what is known stays true for ever. */
interface Entry {
  state: EventTypesState;
  head: StreamHead;
  /** Names asked for while a registration runs: the next one takes them all in one append. */
  readonly waiting: Request[];
  registering: boolean;
}

interface Request {
  readonly names: readonly string[];
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** Names and goals kept in memory, over all bots: some 100 bytes each. */
const MAX_CACHED = 500_000;
/** As in `handle`: a rival wins each round. */
const MAX_ROUNDS = 50;

export function createEventTypeDirectory({ log, sources }: CommandContext): EventTypeDirectory {
  const entries = new LRUCache<string, Entry>({ maxSize: MAX_CACHED });

  function entryOf(bot: string): Entry {
    const known = entries.get(bot);
    if (known !== undefined) return known;
    const entry = { state: eventTypes.initialState(), head: EMPTY_STREAM, waiting: [], registering: false };
    keep(bot, entry);
    return entry;
  }

  /** Again after each change, since the size counts. An entry that was dropped meanwhile comes back. */
  function keep(bot: string, entry: Entry): void {
    entries.set(bot, entry, { size: entry.state.names.size + entry.state.goals.size });
  }

  /** Folds what is new in the log. Reads may overlap: each commit is folded once, in order. */
  async function refresh(bot: string, entry: Entry): Promise<void> {
    const { commits } = await log.read(eventTypesStream(bot), entry.head);
    for (const { revision, hash, events } of commits) {
      if (revision !== entry.head.revision + 1 || hash === null) continue;
      entry.state = events.map(eventTypes.read).reduce(eventTypes.evolve, entry.state);
      entry.head = { revision, hash };
    }
    if (commits.length > 0) keep(bot, entry);
  }

  /** Until the log has an id for each of the names. @throws Rejection */
  async function register(bot: string, entry: Entry, names: readonly string[]): Promise<void> {
    for (let round = 1; ; round++) {
      await refresh(bot, entry);
      const decision = registerNames(entry.state, names);
      if (decision instanceof Rejection) throw decision;
      if (decision.length === 0) return;
      const stream = eventTypesStream(bot);
      const events = decision.map(eventTypes.write);
      try {
        await log.append({ id: sources.uuid(), stream, expected: entry.head, at: sources.now(), events });
      } catch (error) {
        if (!(error instanceof ConflictError) || round === MAX_ROUNDS) throw error;
      }
    }
  }

  async function serve(bot: string, entry: Entry): Promise<void> {
    entry.registering = true;
    while (entry.waiting.length > 0) {
      const group = entry.waiting.splice(0);
      const names = group.flatMap((request) => request.names);
      try {
        await register(bot, entry, names);
        for (const { resolve } of group) resolve();
      } catch (error) {
        // Not all of them fit: each request is taken or refused on its own.
        if (error instanceof Rejection && group.length > 1)
          for (const request of group) await register(bot, entry, request.names).then(request.resolve, request.reject);
        else for (const { reject } of group) reject(error);
      }
    }
    entry.registering = false;
  }

  return {
    async resolve(bot, names) {
      const entry = entryOf(bot);
      if (names.some((name) => !entry.state.names.has(name))) {
        await new Promise<void>((resolve, reject) => {
          entry.waiting.push({ names, resolve, reject });
          if (!entry.registering) void serve(bot, entry);
        });
      }
      return new Map(names.map((name) => [name, entry.state.names.get(name)!]));
    },

    async goals(bot, targetIds) {
      const entry = entryOf(bot);
      if (targetIds.some((id) => !entry.state.goals.has(id))) await refresh(bot, entry);
      const { goals } = entry.state;
      return new Map(targetIds.flatMap((id) => (goals.has(id) ? [[id, goals.get(id)!]] : [])));
    },
  };
}

import { LRUCache } from 'lru-cache';
import { type EventTypesState, eventTypes, registerNames } from '../../domain/catalog/event-types.ts';
import { Rejection } from '../../domain/rejection.ts';
import { eventTypesStream } from '../../domain/streams.ts';
import {
  type CommandContext,
  decideAndAppend,
  foldNext,
  nothingLoaded,
  type SharedCopy,
} from '../decide-and-append.ts';
import { idFloor } from '../operations/recover.ts';

/** Finds the event ids of custom events' names and of goals, for every intake request. */
export interface EventTypeDirectory {
  /**
   * Finds the ids of names, and registers new names. Every id is in the log before this resolves. @throws Rejection limit:
   * its path is the index of a name
   */
  resolve(bot: string, names: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The event ids of the bot's goals, by target id. If the cache lacks a goal, reads the log once for all of them. */
  goals(bot: string, targetIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
}

/** The event types of a bot, as read from the log. Ids never change, so a cached id stays true. */
interface Entry extends SharedCopy<EventTypesState> {
  /** Requests that came while a registration runs. The next one registers all their names in one append. */
  readonly waiting: Request[];
  registering: boolean;
}

interface Request {
  readonly names: readonly string[];
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** The most names and goals in memory, over all bots: about 100 bytes each. */
const MAX_CACHED = 500_000;

export function createEventTypeDirectory(context: CommandContext): EventTypeDirectory {
  const entries = new LRUCache<string, Entry>({ maxSize: MAX_CACHED });

  function entryOf(bot: string): Entry {
    const known = entries.get(bot);
    if (known !== undefined) return known;
    const entry = { ...nothingLoaded(eventTypes), waiting: [], registering: false };
    keep(bot, entry);
    return entry;
  }

  /** Stores the entry with its present size. Call it after each change; it also restores an entry that the cache dropped. */
  function keep(bot: string, entry: Entry): void {
    entries.set(bot, entry, { size: entry.state.names.size + entry.state.goals.size });
  }

  /** Reads the new commits of the log. Reads may overlap. */
  async function refresh(bot: string, entry: Entry): Promise<Entry> {
    const { commits } = await context.log.read(eventTypesStream(bot), entry.head);
    for (const commit of commits) foldNext(eventTypes, entry, commit);
    if (commits.length > 0) keep(bot, entry);
    return entry;
  }

  /** Resolves when the log and the entry have an id for each of the names. @throws Rejection */
  async function register(bot: string, entry: Entry, names: readonly string[]): Promise<void> {
    const above = await idFloor(context.log, 'event');
    const decide = (state: EventTypesState) => registerNames(state, names, above);
    const read = () => refresh(bot, entry);
    const { events } = await decideAndAppend(context, eventTypes, eventTypesStream(bot), decide, { read });
    if (events.length > 0) await refresh(bot, entry);
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
        // Together they exceed the limit: accept or refuse each request by itself.
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

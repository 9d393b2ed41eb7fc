import { LRUCache } from 'lru-cache';
import { openClickKey, type TrackedLaunch, trackedLaunches } from '../../commands/broadcast/click-tracking.ts';
import type { EventLog } from '../../log/port.ts';
import type { Reader } from '../../projections/reader.ts';
import { botsOfBroadcasts } from '../../queries/broadcast/broadcasts.ts';
import { inTime } from '../../util/in-time.ts';
import { pause } from '../../util/pause.ts';
import { sharedCall, sharedLookUp } from '../../util/shared-call.ts';

/** A launch whose clicks are counted. */
interface FoundLaunch {
  /** Public key of the bot. */
  readonly bot: string;
  /** Of click tokens. */
  readonly key: Uint8Array;
  readonly links: TrackedLaunch['links'];
}

/** Null: there is no such launch. @throws TooManyLookUpsError, and errors of the log and the database */
export type FindLaunch = (broadcastId: number, launch: number) => Promise<FoundLaunch | null>;

/** So many broadcasts are being read and wait to be read that no further one may be. */
class TooManyLookUpsError extends Error {
  override readonly name = 'TooManyLookUpsError';
}

export interface FindLaunchOptions {
  readonly log: Pick<EventLog, 'read' | 'keys'>;
  readonly db: Reader;
}

/** Broadcasts. About 10 MB, with the longest links 100. */
const MOST_KEPT = 1000;
/** Most reads of broadcasts at once, and most reads that wait. */
const MOST_READS = 8;
const MOST_WAITING = 1000;
/** Time between two look-ups, and between two reads of one broadcast: strangers can make up any number. */
const LOOK_UP_GAP_MS = 20;
const READ_GAP_MS = 1000;
const WITHIN_MS = 2000;

type Launches = ReadonlyMap<number, FoundLaunch>;
interface Kept {
  launches: Launches;
  readonly read: () => Promise<Launches>;
}

/**
 * Keeps the launches of the broadcasts that it has read: a launch never changes. Numbers that are made up cost a share of one
 * look-up. Only a broadcast that exists is read, for a launch that was not there before at most once a second.
 */
export function createFindLaunch({ log, db }: FindLaunchOptions): FindLaunch {
  const kept = new LRUCache<number, Kept>({ max: MOST_KEPT });
  const inTurn = turns(MOST_READS, MOST_WAITING);
  const botOf = sharedLookUp<number, string>(
    async (ids) => botsOfBroadcasts(await db.at('broadcasts'), ids),
    LOOK_UP_GAP_MS,
    pause,
  );

  async function readLaunches(bot: string, id: number): Promise<Launches> {
    const launches = await trackedLaunches(log, { bot, id });
    const found = launches.map(async ({ launch, key, links }) => {
      return [launch, { bot, key: await openClickKey(log, bot, key), links }] as const;
    });
    return new Map(await Promise.all(found));
  }

  async function lookUp(id: number, launch: number): Promise<FoundLaunch | null> {
    const bot = await botOf(id);
    if (bot === null) return null;
    const read = () => inTurn(() => readLaunches(bot, id));
    const entry = kept.get(id) ?? { launches: new Map(), read: sharedCall(read, READ_GAP_MS, pause) };
    kept.set(id, entry);
    entry.launches = await entry.read();
    return entry.launches.get(launch) ?? null;
  }

  return async (id, launch) => {
    const known = kept.get(id)?.launches.get(launch);
    if (known !== undefined) return known;
    const late = () => new Error('the look-up of a launch takes too long');
    return inTime(lookUp(id, launch), WITHIN_MS, late);
  };
}

/** Runs so many works at once; others wait. @throws TooManyLookUpsError too many wait */
function turns(atOnce: number, mostWaiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= atOnce) {
      if (waiting.length >= mostWaiting) throw new TooManyLookUpsError('too many launches are looked up');
      await new Promise<void>((begin) => waiting.push(begin));
    } else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

import type pg from 'pg';
import { openClickKey } from '../../commands/broadcast/click-keys.ts';
import { type TrackedLaunch, trackedLaunches } from '../../commands/broadcast/tracked-launches.ts';
import type { EventLog } from '../../log/port.ts';
import { botOfBroadcast } from '../../queries/broadcast/bot-of-broadcast.ts';
import { inTime } from '../../util/in-time.ts';

/** A launch whose clicks are counted. */
export interface FoundLaunch {
  /** Public key of the bot. */
  readonly bot: string;
  /** Of click tokens. */
  readonly key: Uint8Array;
  readonly links: TrackedLaunch['links'];
}

/** Null: there is no such launch. @throws TooManyLookUpsError, and errors of the log and the database */
export type FindLaunch = (broadcastId: number, launch: number) => Promise<FoundLaunch | null>;

/** Launches are being looked up, and no further one may be. */
export class TooManyLookUpsError extends Error {
  override readonly name = 'TooManyLookUpsError';
}

export interface FindLaunchOptions {
  readonly log: Pick<EventLog, 'read' | 'keys'>;
  readonly source: () => Promise<{ readonly pool: pg.Pool; readonly broadcasts: string }>;
}

/** Some 10 MB, with the longest links 100. */
const MOST_KEPT = 1000;
/** At once: anybody can make up numbers of broadcasts. */
const MOST_LOOK_UPS = 8;
const WITHIN_MS = 2000;

/** Keeps what it finds: a launch never changes. */
export function createFindLaunch({ log, source }: FindLaunchOptions): FindLaunch {
  const kept = new Map<string, FoundLaunch>();
  const looking = new Map<string, Promise<FoundLaunch | null>>();

  async function lookUp(id: number, launch: number): Promise<FoundLaunch | null> {
    const bot = await botOfBroadcast(await source(), id);
    if (bot === null) return null;
    const found = (await trackedLaunches(log, { bot, id })).find((one) => one.launch === launch);
    if (found === undefined) return null;
    return { bot, key: await openClickKey(log, bot, found.key), links: found.links };
  }

  return async (id, launch) => {
    const name = `${id}/${launch}`;
    const known = kept.get(name);
    if (known !== undefined) return known;
    if (!looking.has(name)) {
      if (looking.size >= MOST_LOOK_UPS) throw new TooManyLookUpsError('too many launches are looked up');
      // A look-up that nothing waits for any more still takes a connection, so it counts until it ends.
      const work = lookUp(id, launch).finally(() => looking.delete(name));
      work.catch(() => {}); // thrown below, unless it takes too long
      looking.set(name, work);
    }
    const late = () => new Error('the look-up of a launch takes too long');
    const found = await inTime(looking.get(name)!, WITHIN_MS, late);
    if (found === null) return null;
    const [oldest] = kept.keys();
    if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(name, found);
    return found;
  };
}

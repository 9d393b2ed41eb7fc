import {
  type Broadcast,
  type BroadcastEvent,
  broadcast,
  type TrackedClicks,
  unknownBroadcast,
} from '../../domain/broadcast/broadcast.ts';
import { CLICK_KEY_BYTES, type Click, linksClicked } from '../../domain/broadcast/clicks.ts';
import { keyIdOfSecret, openSecret, type SealedSecret } from '../../domain/sealing.ts';
import { broadcastStream, clicksStream } from '../../domain/streams.ts';
import type { EventLog } from '../../log/port.ts';
import { sealSecret } from '../catalog/secrets.ts';
import type { CommandContext } from '../decide-and-append.ts';
import type { BroadcastName } from './change-broadcast.ts';

/** A launch that tracks clicks. */
export interface TrackedLaunch extends TrackedClicks {
  readonly launch: number;
}

/** Loads the launches of a broadcast that track clicks, from its stream. */
export async function trackedLaunches(log: Pick<EventLog, 'read'>, name: BroadcastName): Promise<TrackedLaunch[]> {
  return launchesIn(await eventsOf(log, name));
}

/** Loads a broadcast with its launches that track clicks, from one read. @throws Rejection not_found */
export async function broadcastWithLaunches(
  log: Pick<EventLog, 'read'>,
  name: BroadcastName,
): Promise<{ readonly found: Broadcast; readonly launches: readonly TrackedLaunch[] }> {
  const events = await eventsOf(log, name);
  const found = events.reduce(broadcast.evolve, broadcast.initialState());
  if (found === null) throw unknownBroadcast('id');
  return { found, launches: launchesIn(events) };
}

async function eventsOf(log: Pick<EventLog, 'read'>, { bot, id }: BroadcastName): Promise<BroadcastEvent[]> {
  const { commits } = await log.read(broadcastStream(bot, id));
  return commits.flatMap(({ events }) => events.map(broadcast.read));
}

function launchesIn(events: readonly BroadcastEvent[]): TrackedLaunch[] {
  return events.flatMap(({ type, data }) =>
    type === 'broadcast_sending_started' && data.clicks !== undefined ? [{ launch: data.launch, ...data.clicks }] : [],
  );
}

/** Keys of click tokens: random for each launch, sealed with a key of the bot (decisions.md#click-token). */

export function newClickKey(context: CommandContext, bot: string): Promise<SealedSecret> {
  const key = Buffer.from(context.sources.randomBytes(CLICK_KEY_BYTES));
  return sealSecret(context, bot, key.toString('base64url'));
}

/** @throws LogUnavailableError, UnreadableEventError */
export async function openClickKey({ keys }: Pick<EventLog, 'keys'>, bot: string, key: SealedSecret): Promise<Buffer> {
  const text = openSecret(key, bot, await keys.find(keyIdOfSecret(key)));
  // A bot's key is never forgotten.
  if (text === null) throw new TypeError(`the key of the click tokens of bot ${bot} is missing`);
  return Buffer.from(text, 'base64url');
}

/**
 * Appends clicks on links of a bot's broadcasts, in one commit.
 * @param id of the commit: after an unknown outcome the same may be appended again. Throws as `EventLog.append`
 */
export async function appendClicks(
  { log, sources }: Pick<CommandContext, 'log' | 'sources'>,
  bot: string,
  id: string,
  items: Click[],
): Promise<void> {
  await log.append({
    id,
    stream: clicksStream(bot),
    expected: 'any',
    at: sources.now(),
    events: [linksClicked.create({ items })],
  });
}

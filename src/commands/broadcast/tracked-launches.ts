import {
  type Broadcast,
  type BroadcastEvent,
  broadcast,
  type TrackedClicks,
  unknownBroadcast,
} from '../../domain/broadcast/broadcast.ts';
import { broadcastStream } from '../../domain/streams.ts';
import type { EventLog } from '../../log/port.ts';
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

import { broadcast, type TrackedClicks } from '../../domain/broadcast/broadcast.ts';
import { broadcastStream } from '../../domain/streams.ts';
import type { EventLog } from '../../log/port.ts';
import type { BroadcastName } from './change.ts';

/** A launch that tracks clicks. */
export interface TrackedLaunch extends TrackedClicks {
  readonly launch: number;
}

/** Loads the launches of a broadcast that track clicks, from its stream. */
export async function trackedLaunches(
  log: Pick<EventLog, 'read'>,
  { bot, id }: BroadcastName,
): Promise<TrackedLaunch[]> {
  const { commits } = await log.read(broadcastStream(bot, id));
  return commits
    .flatMap(({ events }) => events.map(broadcast.read))
    .flatMap(({ type, data }) =>
      type === 'broadcast_sending_started' && data.clicks !== undefined
        ? [{ launch: data.launch, ...data.clicks }]
        : [],
    );
}

import { type Broadcast, isOver } from '../../domain/broadcast/broadcast.ts';
import { localTimeOf } from '../../domain/local-time.ts';
import type { BroadcastStatistics } from '../../queries/broadcast/broadcasts.ts';
import { parseJson } from '../json.ts';

/** A broadcast as every method answers it (interface.md, "Broadcast object"); dates by the clock of the bot. */
export function broadcastObject(found: Broadcast, statistics: BroadcastStatistics, timezone: string): object {
  const broadcast = isOver(found) && !areOfEnd(statistics, found) ? beforeEnd(found) : found;
  const { id, status, name, type, segmentations, message, settings, frozen } = broadcast;
  const shown = (ms: number | null): string | null => (ms === null ? null : localTimeOf(ms, timezone));
  const { paused_until, error, count_delivered, count_not_delivered, count_unknown } = statistics;
  const count_recipients = frozen ?? statistics.count_recipients;
  // Whoever was not attempted is cancelled at the stop or the failure, and waits again after a relaunch.
  const hasStopped = status === 4 || status === 5;
  return {
    id,
    status,
    name,
    type,
    segmentations: parseJson(Buffer.from(segmentations)),
    message,
    settings,
    date_send: shown(broadcast.date_send),
    date_create: shown(broadcast.date_create),
    date_activate: shown(broadcast.date_activate),
    date_finish: shown(broadcast.date_finish),
    count_recipients,
    count_delivered,
    count_not_delivered,
    count_cancelled: hasStopped ? count_recipients - count_delivered - count_not_delivered : 0,
    count_unknown,
    error: broadcast.error ?? error,
    paused_until: shown(paused_until),
  };
}

/** Statistics that were kept before they named a launch had been read with the broadcast. */
function areOfEnd({ ended_launch }: BroadcastStatistics, { launch }: Broadcast): boolean {
  return ended_launch === undefined || ended_launch === launch;
}

/** Counts follow the log later than the broadcast does: it is not shown as over before they are those of its end. */
function beforeEnd(broadcast: Broadcast): Broadcast {
  return { ...broadcast, status: broadcast.status_before ?? broadcast.status, date_finish: null, error: null };
}

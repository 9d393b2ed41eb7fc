import { isDeepStrictEqual } from 'node:util';
import { advanceBroadcast, type BroadcastName, existingBroadcast } from '../../commands/broadcast/change-broadcast.ts';
import { newClickKey } from '../../commands/broadcast/click-tracking.ts';
import { abandonClaims } from '../../domain/broadcast/batches.ts';
import type { Broadcast, BroadcastEvent, BroadcastState } from '../../domain/broadcast/broadcast.ts';
import { Status } from '../../domain/broadcast/broadcast-status.ts';
import {
  failBroadcast,
  finishBroadcast,
  freezeAudience as recordFrozen,
  startResolution,
  startSending,
  stopBroadcast,
} from '../../domain/broadcast/broadcast-steps.ts';
import type { Decision } from '../../domain/decider.ts';
import { Rejection } from '../../domain/rejection.ts';
import { pause } from '../../util/pause.ts';
import type { ProcessContext } from '../process.ts';
import { type BotSender, sendingBot } from './bot-sender.ts';
import { freezeAudience, savedSegmentsOf } from './freeze-audience.ts';
import { launchBroadcast } from './launch-broadcast.ts';
import type { LaunchEnd } from './launch-state.ts';
import { openSendingWriter } from './stream-writer.ts';

/** A schedule that was missed for longer, while the service was down, is not made up for (decisions.md#date-send). */
const MISSED_MS = 60 * 60 * 1000;

/**
 * Takes a broadcast to its end, one step of its lifecycle after the other. Each step is decided on top of the log, so it
 * takes account of a cancellation, and of another instance that drives the broadcast. A step that fails is retried until the
 * signal aborts.
 */
export async function driveBroadcast(
  context: ProcessContext,
  sender: BotSender,
  name: BroadcastName,
  signal: AbortSignal,
): Promise<void> {
  const { failures } = sender;
  while (!signal.aborted) {
    let status: Broadcast['status'] | null = null;
    try {
      const broadcast = await existingBroadcast(context.log, name);
      status = broadcast.status;
      if (!(await takeStep(context, sender, name, broadcast, signal))) return;
    } catch (error) {
      // The broadcast was cancelled, or another instance was faster.
      if (status !== null && error instanceof Rejection) continue;
      if (signal.aborted) return;
      await waitInStatus(context, name, status, failures.failed(error), signal);
    }
  }
}

const STATUS_POLL_MS = 1000;

/** Waits before a retry, but not for longer than the broadcast is in that status. */
async function waitInStatus(
  { log, logger }: ProcessContext,
  name: BroadcastName,
  status: Broadcast['status'] | null,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  for (const end = performance.now() + ms; !signal.aborted; ) {
    const left = end - performance.now();
    if (left <= 0) return;
    await pause(Math.min(left, STATUS_POLL_MS), signal);
    try {
      if (status !== null && (await existingBroadcast(log, name)).status !== status) return;
    } catch (error) {
      // Likely the failure after which it waits.
      logger.debug({ err: error, broadcast: name.id }, 'failed to read broadcast; retrying');
    }
  }
}

/** @returns whether there may be another step to take now */
async function takeStep(
  context: ProcessContext,
  sender: BotSender,
  name: BroadcastName,
  broadcast: Broadcast,
  signal: AbortSignal,
): Promise<boolean> {
  const advance = async (step: Step): Promise<true> => {
    await advanceBroadcast(context, name, step);
    return true;
  };
  const start = async (): Promise<true> => {
    const tracks = broadcast.settings.track_clicks === true;
    const key = tracks ? await newClickKey(context, name.bot) : undefined;
    return advance(ifUnchanged(broadcast, (state, now) => startSending(state, now, key)));
  };
  const fail = (error: string) => advance((state, now) => failBroadcast(state, error, now));
  switch (broadcast.status) {
    case Status.scheduled: {
      const { due, frozen } = broadcast;
      const late = due === null ? 0 : context.sources.now() - due;
      if (late < 0) return false;
      if (late > MISSED_MS) return fail('missed');
      if (frozen === null) {
        const found = await savedSegmentsOf(context.log, name.bot, broadcast);
        if ('missing' in found) return fail(`saved segment ${found.missing} was deleted`);
        return advance(ifUnchanged(broadcast, (state, now) => startResolution(state, now, found.revisions)));
      }
      return (await isPremium(context, sender, name, signal)) ? start() : fail(NOT_PREMIUM);
    }
    case Status.resolving: {
      const { bot_id: botId, timezone } = await sendingBot(context, sender, name, signal);
      const { bot, id: broadcastId } = name;
      const { segmentations, saved_segments: savedSegments = [] } = broadcast;
      const stopping = await whileInStatus(context, name, broadcast.status, signal);
      try {
        const of = { broadcastId, segmentations, bot, botId, timezone, savedSegments };
        const { count } = await freezeAudience(context, of, stopping.signal);
        return await advance((state, now) => recordFrozen(state, count, now));
      } catch (error) {
        // The broadcast was cancelled while its audience was frozen, or the service stops.
        if (stopping.signal.aborted) return true;
        throw error;
      } finally {
        stopping.forget();
      }
    }
    case Status.frozen:
      if (broadcast.frozen === 0) return advance(finishBroadcast);
      return (await isPremium(context, sender, name, signal)) ? start() : fail(NOT_PREMIUM);
    case Status.sending:
      return endedBy(await launchBroadcast(context, sender, name, broadcast, signal), advance, (againMs) =>
        waitInStatus(context, name, Status.sending, againMs, signal),
      );
    case Status.stopping: {
      // A sender that was killed may have left claims open.
      const writer = await openSendingWriter(context, name.bot, name.id);
      await writer.append((state) => abandonClaims(state, name.id, ''), signal);
      return advance((state, now) => stopBroadcast(state, null, now));
    }
    default:
      return false;
  }
}

/** @returns whether there may be another step to take now */
async function endedBy(
  end: LaunchEnd,
  advance: (step: Step) => Promise<true>,
  wait: (ms: number) => Promise<void>,
): Promise<boolean> {
  switch (end.type) {
    case 'finished':
      return advance(finishBroadcast);
    case 'stopped':
      return advance((state, now) => stopBroadcast(state, end.error, now));
    case 'failed':
      return advance((state, now) => failBroadcast(state, end.error, now));
    case 'broken':
      await wait(end.againMs);
      return true;
    case 'cancelled':
      return true;
    case 'interrupted':
      return false;
  }
}

const NOT_PREMIUM = 'premium plan required';

async function isPremium(
  context: ProcessContext,
  sender: BotSender,
  name: BroadcastName,
  signal: AbortSignal,
): Promise<boolean> {
  return (await sendingBot(context, sender, name, signal)).plan === 'premium';
}

const POLL_MS = 100;

/** A signal that aborts when the given one does, or soon after the broadcast has left the status. */
async function whileInStatus(
  context: ProcessContext,
  name: BroadcastName,
  status: Broadcast['status'],
  signal: AbortSignal,
): Promise<{ readonly signal: AbortSignal; forget(): void }> {
  const left = new AbortController();
  const timer = setInterval(() => {
    existingBroadcast(context.log, name).then(
      (broadcast) => {
        if (broadcast.status !== status) left.abort();
      },
      (error: unknown) => context.logger.warn({ err: error, broadcast: name.id }, 'failed to read broadcast; retrying'),
    );
  }, POLL_MS);
  return { signal: AbortSignal.any([signal, left.signal]), forget: () => clearInterval(timer) };
}

/** A step of a broadcast's lifecycle, decided on top of the log. */
type Step = (state: BroadcastState, now: number) => Decision<BroadcastEvent>;

/**
 * Rejects the step with a conflict if the broadcast differs from `seen`. The process has read other data for `seen`, such as
 * saved segments. A client may have cancelled, changed and activated the broadcast since then.
 */
export function ifUnchanged(seen: Broadcast, step: Step): Step {
  return (state, now) =>
    isDeepStrictEqual(state, seen)
      ? step(state, now)
      : new Rejection('conflict', 'status', `broadcast ${seen.id} has changed since it was read`);
}

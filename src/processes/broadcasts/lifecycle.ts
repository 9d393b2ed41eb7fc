import { isDeepStrictEqual } from 'node:util';
import { advanceBroadcast, type BroadcastName, existingBroadcast } from '../../commands/broadcast/change.ts';
import { newClickKey, openClickKey } from '../../commands/broadcast/click-keys.ts';
import { frozenChats } from '../../commands/broadcast/resolve-audience.ts';
import { type Loaded, load } from '../../commands/decide-and-append.ts';
import { abandonClaims } from '../../domain/broadcast/batches.ts';
import {
  type Broadcast,
  type BroadcastState,
  broadcast as decider,
  messagesOf,
} from '../../domain/broadcast/broadcast.ts';
import { clickToken } from '../../domain/broadcast/click-token.ts';
import {
  failBroadcast,
  finishBroadcast,
  freezeAudience as recordFrozen,
  startResolution,
  startSending,
  stopBroadcast,
} from '../../domain/broadcast/lifecycle.ts';
import { messagesByChat, prepareMessage } from '../../domain/broadcast/sending-message.ts';
import { MAX_CAP } from '../../domain/broadcast/settings.ts';
import { TemplateError } from '../../domain/broadcast/template.ts';
import { variantOf } from '../../domain/broadcast/variant-of.ts';
import { Rejection } from '../../domain/rejection.ts';
import { broadcastStream } from '../../domain/streams.ts';
import type { BotApi } from '../../platform/bot-api.ts';
import { catalogManifest } from '../../projections/catalog/manifest.ts';
import { findSendingBot, type SendingBot } from '../../queries/catalog/bots.ts';
import { pause } from '../../util/pause.ts';
import type { ProcessContext } from '../process.ts';
import type { Failures, PlatformHealth } from './back-off.ts';
import { freezeAudience, savedSegmentsOf } from './freeze-audience.ts';
import type { LaunchEnd } from './launch-state.ts';
import { sendLaunch } from './send-launch.ts';
import type { SendQueue } from './send-queue.ts';
import type { SchemaOf, StreamWatch } from './shared-look-ups.ts';
import { ifUnchanged, type Step } from './step.ts';
import { openPauseWriter, openSendingWriter } from './stream-writer.ts';
import type { UserLookUp } from './user-look-up.ts';

/** The dependencies of a broadcast's sender. The broadcasts of a bot share all but `failures`. */
export interface BotSender {
  readonly api: BotApi;
  readonly queue: SendQueue;
  readonly health: PlatformHealth;
  readonly failures: Failures;
  readonly schemaOf: SchemaOf;
  readonly watch: StreamWatch;
  readonly usersOf: UserLookUp;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
}

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
    case 1: {
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
    case 6: {
      const { bot_id: botId, timezone } = await sendingBot(context, sender, name, signal);
      const { bot, id: broadcastId } = name;
      const { segmentations, saved_segments: savedSegments = [] } = broadcast;
      const stopping = await whileInStatus(context, name, 6, signal);
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
    case 7:
      if (broadcast.frozen === 0) return advance(finishBroadcast);
      return (await isPremium(context, sender, name, signal)) ? start() : fail(NOT_PREMIUM);
    case 2:
      return endedBy(await send(context, sender, name, broadcast, signal), advance, (againMs) =>
        waitInStatus(context, name, 2, againMs, signal),
      );
    case 8: {
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

/** Waits until the catalog knows the bot. @throws the signal's reason */
async function sendingBot(
  { pool }: ProcessContext,
  { schemaOf }: BotSender,
  { bot }: BroadcastName,
  signal: AbortSignal,
): Promise<SendingBot> {
  for (;;) {
    const catalog = await schemaOf(catalogManifest, signal);
    const found = await findSendingBot({ pool, catalog }, bot);
    if (found !== null) return found;
    await pause(POLL_MS, signal);
    signal.throwIfAborted();
  }
}

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

async function send(
  context: ProcessContext,
  sender: BotSender,
  name: BroadcastName,
  broadcast: Broadcast,
  signal: AbortSignal,
): Promise<LaunchEnd> {
  const { log, sources, logger } = context;
  const { token, paid_broadcasts: isPaid, bot_id: botId, timezone } = await sendingBot(context, sender, name, signal);
  if (token === null) return { type: 'failed', error: 'the bot has no token' };
  const { type, settings, launch, variants = [], clicks } = broadcast;
  const { PUBLIC_URL } = context.config;
  if (clicks !== undefined && PUBLIC_URL === undefined)
    return { type: 'failed', error: 'clicks are tracked, and PUBLIC_URL is not set' };
  const cap = isPaid ? settings.intervalCap : Math.min(settings.intervalCap, MAX_CAP);
  try {
    const shares = variants.map(({ share }) => share);
    const messages = messagesByChat(
      messagesOf(broadcast).map(({ message }) => prepareMessage(type, message, cap > MAX_CAP, clicks !== undefined)),
      (chat) => variantOf(shares, name.id, chat),
    );
    if (
      clicks !== undefined &&
      !isDeepStrictEqual(
        messages.targets,
        clicks.links.map(({ target }) => target),
      )
    )
      return { type: 'failed', error: 'the tracked links are not those of the launch: activate it again' };
    const chats = await frozenChats(log, name);
    const key = clicks === undefined ? null : await openClickKey(log, name.bot, clicks.key);
    const writer = await openSendingWriter(context, name.bot, name.id);
    const pauses = await openPauseWriter(context, name.bot);
    const stream = broadcastStream(name.bot, name.id);
    const watched = sender.watch.watch(stream);
    let known: Loaded<BroadcastState> | undefined;
    let upToDate = false;
    const sent = sendLaunch(
      {
        ...sender,
        broadcastId: name.id,
        launch,
        sender: sources.uuid(),
        chats,
        messages,
        linkTo:
          key === null
            ? null
            : (place, link) => `${PUBLIC_URL}/r/${clickToken(key, { broadcastId: name.id, launch, place, link })}`,
        cap,
        pauses,
        onLimit: settings.rateLimitOnError,
        token,
        logger,
        usersOf: (chats) => sender.usersOf({ botId, timezone, chats }, messages.asksUser),
        async isSending() {
          upToDate &&= !watched.hasGrown();
          // Only its new commits: its audience may be a list of a megabyte.
          if (!upToDate) known = await load(log, decider, stream, known);
          upToDate = true;
          return known?.state?.status === 2 && known.state.launch === launch;
        },
      },
      writer,
      signal,
    );
    return await sent.finally(() => watched.end());
  } catch (error) {
    if (error instanceof TemplateError) return { type: 'failed', error: error.message };
    throw error;
  }
}

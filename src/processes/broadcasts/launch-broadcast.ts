import { isDeepStrictEqual } from 'node:util';
import type { BroadcastName } from '../../commands/broadcast/change-broadcast.ts';
import { openClickKey } from '../../commands/broadcast/click-tracking.ts';
import { frozenChats } from '../../commands/broadcast/resolve-audience.ts';
import { type Loaded, load } from '../../commands/decide-and-append.ts';
import {
  type Broadcast,
  type BroadcastState,
  broadcast as decider,
  messagesOf,
} from '../../domain/broadcast/broadcast.ts';
import { Status } from '../../domain/broadcast/broadcast-status.ts';
import { clickToken } from '../../domain/broadcast/clicks.ts';
import { messagesByChat, prepareMessage } from '../../domain/broadcast/sending-message.ts';
import { MAX_CAP } from '../../domain/broadcast/settings.ts';
import { TemplateError } from '../../domain/broadcast/template.ts';
import { variantOf } from '../../domain/broadcast/variant-of.ts';
import { broadcastStream } from '../../domain/streams.ts';
import type { ProcessContext } from '../process.ts';
import { type BotSender, sendingBot } from './bot-sender.ts';
import type { LaunchEnd } from './launch-state.ts';
import { sendLaunch } from './send-launch.ts';
import { openPauseWriter, openSendingWriter } from './stream-writer.ts';

/** Prepares the messages of a launch from the log, and sends them. */
export async function launchBroadcast(
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
      return { type: 'failed', error: 'the tracked links have changed since the launch: activate it again' };
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
          return known?.state?.status === Status.sending && known.state.launch === launch;
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

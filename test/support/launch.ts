import { pino } from 'pino';
import type { Answer } from '../../src/domain/broadcast/sending-answer.ts';
import {
  type Message,
  type Messages,
  messagesByChat,
  prepareMessage,
} from '../../src/domain/broadcast/sending-message.ts';
import type { EventLog } from '../../src/log/port.ts';
import type { BotApi } from '../../src/platform/bot-api.ts';
import { createConnections } from '../../src/processes/broadcasts/connections.ts';
import type { Failures } from '../../src/processes/broadcasts/failures.ts';
import { PlatformHealth } from '../../src/processes/broadcasts/platform-health.ts';
import { type LaunchOptions, sendLaunch } from '../../src/processes/broadcasts/send-launch.ts';
import { SendQueue } from '../../src/processes/broadcasts/send-queue.ts';
import {
  openPauseWriter,
  openSendingWriter,
  type SendingWriter,
} from '../../src/processes/broadcasts/stream-writer.ts';
import { systemSources } from '../../src/util/system-sources.ts';

/** One launch of a broadcast on a log in memory, with a function as the platform. */

const NAME = { bot: 'bot', id: 1 };
export const CHATS = Array.from({ length: 40 }, (_, i) => i + 1);
/** The same message for all chats. */
export const onlyMessage = (message: Message): Messages => messagesByChat([message], () => 0);

export const DONE: Answer = { type: 'answered', status: 200, body: '{"ok":true,"result":{"message_id":1}}' };

export interface LaunchSetup {
  readonly log: EventLog;
  readonly failures: Failures;
  /** The platform's answer to a call; calls `written` when the request is written. */
  readonly answer: (chat: number, written: () => void) => Promise<Answer>;
  /** Stops the service; default: when the launch has ended. */
  readonly stop?: AbortController;
}

/** Reads the broadcast's stream. */
export function writerOf(log: EventLog): Promise<SendingWriter> {
  return openSendingWriter({ log, sources: systemSources, logger: pino({ level: 'silent' }) }, NAME.bot, NAME.id);
}

/** Sends until the launch ends or fails, as one run of the process does. */
export async function sendOnce(
  { log, failures, answer, stop = new AbortController() }: LaunchSetup,
  changes: Partial<LaunchOptions> = {},
): Promise<SendingWriter> {
  const logger = pino({ level: 'silent' });
  let ahead = 0;
  const elapsed = () => performance.now() + ahead;
  const queue = new SendQueue(createConnections(10), 10, elapsed, stop.signal);
  ahead = 2000; // the rest after a start
  const writer = await writerOf(log);
  const api: BotApi = {
    call: (_token, _method, { chat_id: chat }: { chat_id?: number }, written) => answer(chat!, () => written?.()),
    close: async () => {},
  };
  const options: LaunchOptions = {
    broadcastId: NAME.id,
    launch: 1,
    sender: systemSources.uuid(),
    chats: CHATS,
    messages: onlyMessage(prepareMessage('sendMessage', { text: 'Hello' }, false)),
    linkTo: null,
    cap: 1000,
    onLimit: { stop: true, extraDelay: 0 },
    api,
    token: '1:token',
    queue,
    health: new PlatformHealth({ now: systemSources.now, elapsed: () => performance.now(), report: () => {} }),
    pauses: await openPauseWriter({ log, sources: systemSources, logger }, NAME.bot),
    failures,
    usersOf: async () => new Map(),
    isSending: async () => true,
    elapsed,
    logger,
    ...changes,
  };
  await sendLaunch(options, writer, stop.signal).catch(() => undefined);
  stop.abort();
  return writerOf(log);
}

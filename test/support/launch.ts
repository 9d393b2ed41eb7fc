import { pino } from 'pino';
import type { Answer } from '../../src/domain/broadcast/sending-answer.ts';
import { prepareMessage } from '../../src/domain/broadcast/sending-message.ts';
import type { EventLog } from '../../src/log/port.ts';
import type { BotApi } from '../../src/platform/bot-api.ts';
import type { Failure } from '../../src/processes/broadcasts/failure.ts';
import { createLane } from '../../src/processes/broadcasts/lane.ts';
import { sendLaunch } from '../../src/processes/broadcasts/launch.ts';
import type { LaunchOptions } from '../../src/processes/broadcasts/launch-options.ts';
import { openLedger, openPauseLedger, type SendingLedger } from '../../src/processes/broadcasts/ledger.ts';
import { createSlots } from '../../src/processes/broadcasts/slots.ts';
import { createTrouble } from '../../src/processes/broadcasts/trouble.ts';
import { systemSources } from '../../src/util/system-sources.ts';

/** One launch of a broadcast, sent on a log in memory to a platform that is a function. */

const NAME = { bot: 'bot', id: 1 };
export const CHATS = Array.from({ length: 40 }, (_, i) => i + 1);
export const DONE: Answer = { type: 'answered', status: 200, body: '{"ok":true,"result":{"message_id":1}}' };

export interface LaunchSetup {
  readonly log: EventLog;
  readonly failure: Failure;
  /** What comes of a call; tells when it is written. */
  readonly answer: (chat: number, written: () => void) => Promise<Answer>;
}

/** What the log has of the broadcast. */
export function ledgerOf(log: EventLog): Promise<SendingLedger> {
  return openLedger({ log, sources: systemSources, logger: pino({ level: 'silent' }) }, NAME.bot, NAME.id);
}

/** Sends until it ends or fails, as one run of the process does. */
export async function sendOnce(
  { log, failure, answer }: LaunchSetup,
  changes: Partial<LaunchOptions> = {},
): Promise<SendingLedger> {
  const logger = pino({ level: 'silent' });
  let ahead = 0;
  const elapsed = () => performance.now() + ahead;
  const stop = new AbortController();
  const lane = createLane(createSlots(10), 10, elapsed, stop.signal);
  ahead = 2000; // the rest after a start
  const ledger = await ledgerOf(log);
  const api: BotApi = {
    call: (_token, _method, { chat_id: chat }: { chat_id?: number }, written) => answer(chat!, () => written?.()),
    close: async () => {},
  };
  const options: LaunchOptions = {
    name: NAME,
    launch: 1,
    sender: systemSources.uuid(),
    chats: CHATS,
    message: prepareMessage('sendMessage', { text: 'Hello' }, false),
    cap: 1000,
    onLimit: { stop: true, extraDelay: 0 },
    api,
    token: '1:token',
    lane,
    trouble: createTrouble({ now: systemSources.now, tell: () => {} }),
    pauses: await openPauseLedger({ log, sources: systemSources, logger }, NAME.bot),
    failure,
    usersOf: async () => new Map(),
    isSending: async () => true,
    elapsed,
    logger,
    ...changes,
  };
  await sendLaunch(options, ledger, stop.signal).catch(() => undefined);
  stop.abort();
  return ledgerOf(log);
}

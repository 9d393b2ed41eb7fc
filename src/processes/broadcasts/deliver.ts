import type { Answered } from '../../domain/broadcast/batches.ts';
import { type Verdict, verdictOf } from '../../domain/broadcast/sending-answer.ts';
import type { Message, Messages } from '../../domain/broadcast/sending-message.ts';
import type { BotApi } from '../../platform/bot-api.ts';
import type { FileId } from './commit.ts';
import type { Permit } from './send-queue.ts';

/** The dependencies of the calls to the recipients of one launch. */
export interface Caller {
  readonly api: BotApi;
  readonly token: string;
  readonly messages: Messages;
  /** The recipients of the broadcast, ascending. */
  readonly chats: readonly number[];
  /** Waits for the permission to make a further call of so many units about a recipient; null: the launch has ended. */
  permit(units: number): Promise<Permit | null>;
  /** Monotonic milliseconds. */
  elapsed(): number;
}

/** The outcome of one recipient, and its effect on the others. */
export interface Delivery {
  readonly answer: Omit<Answered, 'place'>;
  /** The ids of files that were sent by URL. */
  readonly files: readonly FileId[];
  /** The user's status, if the platform told it. */
  readonly userStatus: 'blocked' | 'deactivated' | null;
  /** A problem of the bot rather than of this recipient. */
  readonly botProblem: Extract<Verdict, { type: 'limited' | 'unauthorized' | 'not_sent' }> | null;
  /** An error of the service; null: there was none. The platform's answer before it still counts. */
  readonly fault: unknown;
}

const DELIVERED = { outcome: 'delivered', reason: null } as const;
export const RETURNED = { outcome: 'returned', reason: null } as const;
/** The platform may have received the call. */
export const BROKEN_CALL = { outcome: 'unknown', reason: 'the service failed while sending' } as const;

/**
 * Sends to one recipient: one call, a second one if the group has become another chat, and one that pins the message.
 * No call is ever repeated.
 * @param parameters all of the call but the chat
 */
export async function deliver(caller: Caller, chat: number, parameters: object, permit: Permit): Promise<Delivery> {
  const { messages } = caller;
  const message = messages.of(chat);
  let to = chat;
  let verdict = await call(caller, message.method, { chat_id: to, ...parameters }, permit);
  if (verdict.type === 'migrated') {
    if (isAmong(caller.chats, verdict.chatId)) return endedWith({ outcome: 'not_delivered', reason: 'migrated' });
    const second = await caller.permit(messages.units);
    if (second === null) return endedWith(RETURNED);
    to = verdict.chatId;
    verdict = await call(caller, message.method, { chat_id: to, ...parameters }, second);
  }
  const index = messages.variantOf(chat);
  const variant = index === undefined ? {} : { variant: index };
  switch (verdict.type) {
    case 'done':
      return {
        ...endedWith({ ...DELIVERED, ...variant }),
        ...(await finish(caller, message, to, parameters, verdict.result)),
      };
    case 'refused': {
      const { reason, ofMessage, userStatus } = verdict;
      const answer = {
        outcome: 'not_delivered',
        reason,
        ...(ofMessage ? { of_message: true, ...variant } : {}),
      } as const;
      // A refusal by a group or a channel says nothing of a user.
      return { ...endedWith(answer), userStatus: to > 0 ? userStatus : null };
    }
    case 'migrated':
      return endedWith({ outcome: 'not_delivered', reason: verdict.reason });
    case 'unknown':
      return endedWith({ outcome: 'unknown', reason: verdict.reason });
    case 'limited':
    case 'unauthorized':
    case 'not_sent':
      return { ...endedWith(RETURNED), botProblem: verdict };
    case 'broken':
      return { ...endedWith(verdict.written ? BROKEN_CALL : RETURNED), fault: verdict.fault };
  }
}

/** Learns file ids from the answer, and pins the message. */
async function finish(
  caller: Caller,
  message: Message,
  chat: number,
  parameters: object,
  result: unknown,
): Promise<Partial<Pick<Delivery, 'files' | 'botProblem' | 'fault'>>> {
  try {
    const files = message.filesOf(parameters, result);
    if (!message.pins) return { files };
    const pinned = await pin(caller, message, chat, result);
    return pinned?.type === 'broken' ? { files, fault: pinned.fault } : { files, botProblem: pinned };
  } catch (fault) {
    return { fault };
  }
}

/** Pins the message. The answer does not change the outcome, only what may be called next. */
async function pin(
  caller: Caller,
  message: Message,
  chat: number,
  result: unknown,
): Promise<Delivery['botProblem'] | Broken> {
  const messageId = message.messageIdOf(result);
  const permit = messageId === null ? null : await caller.permit(1);
  if (permit === null) return null;
  const verdict = await call(
    caller,
    'pinChatMessage',
    { chat_id: chat, message_id: messageId, ...message.pinParameters },
    permit,
  );
  return verdict.type === 'limited' || verdict.type === 'unauthorized' || verdict.type === 'broken' ? verdict : null;
}

/** The service failed during a call. */
interface Broken {
  readonly type: 'broken';
  /** Whether the platform may have received the call. */
  readonly written: boolean;
  readonly fault: unknown;
}

async function call(
  { api, token, elapsed }: Caller,
  method: string,
  parameters: object,
  { taken, over }: Permit,
): Promise<Verdict | Broken> {
  let written = false;
  const write = (): void => {
    written = true;
    taken.written(elapsed());
  };
  try {
    return verdictOf(await api.call(token, method, parameters, write));
  } catch (fault) {
    return { type: 'broken', written, fault };
  } finally {
    taken.answered(elapsed());
    over();
  }
}

export function endedWith(answer: Delivery['answer']): Delivery {
  return { answer, files: [], userStatus: null, botProblem: null, fault: null };
}

/** @param chats ascending */
function isAmong(chats: readonly number[], chat: number): boolean {
  let [low, high] = [0, chats.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (chats[middle] === chat) return true;
    if (chats[middle]! < chat) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}

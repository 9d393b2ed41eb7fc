import type { Answered } from '../../domain/broadcast/sending.ts';
import { type Verdict, verdictOf } from '../../domain/broadcast/sending-answer.ts';
import type { Message } from '../../domain/broadcast/sending-message.ts';
import type { BotApi } from '../../platform/bot-api.ts';
import type { Permit } from './outbox.ts';

export interface Courier {
  readonly api: BotApi;
  readonly token: string;
  readonly message: Message;
  /** Whether a chat is a recipient of the broadcast itself. */
  isRecipient(chat: number): boolean;
  /** For one more call about a recipient, of so many units; null: nothing more is to be called. */
  permit(units: number): Promise<Permit | null>;
  /** Monotonic milliseconds. */
  elapsed(): number;
}

/** What became of a recipient, and what there is to learn from it for the others. */
export interface Delivery {
  readonly answer: Omit<Answered, 'place'>;
  /** Of what was sent by URL. */
  readonly files: readonly { readonly url: string; readonly file_id: string }[];
  /** The platform says of the user. */
  readonly userStatus: 'blocked' | 'deactivated' | null;
  /** What concerns the bot rather than this recipient. */
  readonly trouble: Extract<Verdict, { type: 'limited' | 'unauthorized' | 'not_sent' }> | null;
  /** A mistake of the service; null: there was none. What the platform answered before it still counts. */
  readonly fault: unknown;
}

const DELIVERED = { outcome: 'delivered', reason: null } as const;
const RETURNED = { outcome: 'returned', reason: null } as const;
/** The platform may have received the call. */
export const BROKEN_CALL = { outcome: 'unknown', reason: 'the service failed while sending' } as const;

/**
 * Sends to one recipient: one call, a second one where the chat has become another, and one that pins the message.
 * Nothing is ever repeated.
 * @param parameters those of the call for this recipient, but for the chat
 */
export async function deliver(courier: Courier, chat: number, parameters: object, permit: Permit): Promise<Delivery> {
  const { message } = courier;
  let to = chat;
  let verdict = await call(courier, message.method, { chat_id: to, ...parameters }, permit);
  if (verdict.type === 'migrated') {
    if (courier.isRecipient(verdict.chatId)) return ended({ outcome: 'not_delivered', reason: 'migrated' });
    const second = await courier.permit(message.units);
    if (second === null) return ended(RETURNED);
    to = verdict.chatId;
    verdict = await call(courier, message.method, { chat_id: to, ...parameters }, second);
  }
  switch (verdict.type) {
    case 'done':
      return { ...ended(DELIVERED), ...(await finish(courier, to, parameters, verdict.result)) };
    case 'refused': {
      const { reason, ofMessage, userStatus } = verdict;
      const answer = { outcome: 'not_delivered', reason, ...(ofMessage ? { of_message: true } : {}) } as const;
      // Of a group's or channel's refusal nobody in particular is the reason.
      return { ...ended(answer), userStatus: to > 0 ? userStatus : null };
    }
    case 'migrated':
      return ended({ outcome: 'not_delivered', reason: verdict.reason });
    case 'unknown':
      return ended({ outcome: 'unknown', reason: verdict.reason });
    case 'limited':
    case 'unauthorized':
    case 'not_sent':
      return { ...ended(RETURNED), trouble: verdict };
    case 'broken':
      return { ...ended(verdict.written ? BROKEN_CALL : RETURNED), fault: verdict.fault };
  }
}

/** What there is to do once the recipient has the message. */
async function finish(
  courier: Courier,
  chat: number,
  parameters: object,
  result: unknown,
): Promise<Partial<Pick<Delivery, 'files' | 'trouble' | 'fault'>>> {
  try {
    const files = courier.message.filesOf(parameters, result);
    if (!courier.message.pins) return { files };
    const pinned = await pin(courier, chat, result);
    return pinned?.type === 'broken' ? { files, fault: pinned.fault } : { files, trouble: pinned };
  } catch (fault) {
    return { fault };
  }
}

/** What became of a pin does not matter to the delivery, only to what may be called next. */
async function pin(courier: Courier, chat: number, result: unknown): Promise<Delivery['trouble'] | Broken> {
  const messageId = courier.message.messageIdOf(result);
  const permit = messageId === null ? null : await courier.permit(1);
  if (permit === null) return null;
  const verdict = await call(
    courier,
    'pinChatMessage',
    { chat_id: chat, message_id: messageId, ...courier.message.pinParameters },
    permit,
  );
  return verdict.type === 'limited' || verdict.type === 'unauthorized' || verdict.type === 'broken' ? verdict : null;
}

/** The service failed while it called. */
interface Broken {
  readonly type: 'broken';
  /** Whether the platform may have the call. */
  readonly written: boolean;
  readonly fault: unknown;
}

async function call(
  { api, token, elapsed }: Courier,
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

function ended(answer: Delivery['answer']): Delivery {
  return { answer, files: [], userStatus: null, trouble: null, fault: null };
}

/**
 * The answer to a call of the platform's bot interface, and its meaning for the recipient (decisions.md#at-most-once,
 * #sending-speed).
 */

/**
 * `not_sent`: certainly not sent, since there was no connection or the request was not handed over whole. `unknown`: the
 * platform may have acted on it.
 */
export type Answer =
  | { readonly type: 'answered'; readonly status: number; readonly body: string }
  | { readonly type: 'not_sent' | 'unknown'; readonly problem: string };

export type Verdict =
  | { readonly type: 'done'; readonly result: unknown }
  | {
      readonly type: 'refused';
      /** The platform's description. */
      readonly reason: string;
      /** Whether it refuses the message itself, for any recipient. */
      readonly ofMessage: boolean;
      /** The status of the user, if the chat is a private one. */
      readonly userStatus: 'blocked' | 'deactivated' | null;
    }
  | { readonly type: 'migrated'; readonly chatId: number; readonly reason: string }
  | { readonly type: 'limited'; readonly retryAfterMs: number }
  /** The platform does not know the bot by this token. */
  | { readonly type: 'unauthorized'; readonly reason: string }
  | { readonly type: 'not_sent'; readonly reason: string }
  | { readonly type: 'unknown'; readonly reason: string };

/** The wait after a 429 without `retry_after`. */
const RETRY_AFTER_S = 1;
/** A longer wait is a mistake, and its end might be no valid date. A year is long enough to notice. */
const MAX_RETRY_AFTER_S = 366 * 24 * 60 * 60;
const MAX_REASON_LENGTH = 500;

export function verdictOf(answer: Answer): Verdict {
  if (answer.type !== 'answered') return { type: answer.type, reason: answer.problem };
  const { status, body } = answer;
  const parsed = parse(body);
  if (parsed === null) return { type: 'unknown', reason: `the answer, HTTP ${status}, could not be read` };
  if (parsed['ok'] === true && status < 500) return { type: 'done', result: parsed['result'] };
  const code = Number.isInteger(parsed['error_code']) ? Number(parsed['error_code']) : status;
  const said = parsed['description'];
  const reason =
    typeof said === 'string'
      ? said.replaceAll('\0', '\ufffd').slice(0, MAX_REASON_LENGTH).toWellFormed()
      : `error ${code}`;
  if (status >= 500 || code < 400 || code >= 500 || parsed['ok'] !== false) return { type: 'unknown', reason };
  return refusalOf(code, reason, typeof said === 'string' ? reason : '', objectOf(parsed['parameters']) ?? {});
}

function refusalOf(
  code: number,
  reason: string,
  /** Empty: the platform gave none. */
  description: string,
  parameters: Readonly<Record<string, unknown>>,
): Verdict {
  const { retry_after: retryAfter, migrate_to_chat_id: chatId } = parameters;
  switch (code) {
    case 429: {
      const seconds = typeof retryAfter === 'number' && retryAfter > 0 ? retryAfter : RETRY_AFTER_S;
      return { type: 'limited', retryAfterMs: Math.ceil(Math.min(seconds, MAX_RETRY_AFTER_S) * 1000) };
    }
    // A token of the wrong form is 404 too; no unknown method is called here.
    case 401:
    case 404:
      return { type: 'unauthorized', reason };
    default:
      if (code === 400 && Number.isSafeInteger(chatId)) return { type: 'migrated', chatId: Number(chatId), reason };
      return { type: 'refused', reason, ofMessage: code === 400 && isOfMessage(description), ...userOf(reason) };
  }
}

function userOf(reason: string): { readonly userStatus: 'blocked' | 'deactivated' | null } {
  if (reason.includes('bot was blocked')) return { userStatus: 'blocked' };
  return { userStatus: reason.includes('user is deactivated') ? 'deactivated' : null };
}

function parse(body: string): Readonly<Record<string, unknown>> | null {
  try {
    return objectOf(JSON.parse(body));
  } catch {
    return null; // a proxy's page, or the answer was cut off
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/** Descriptions of refusals (400): which of them refuse the message itself, and which are the same. */

/** Parts of a message. They may name a user or a chat: `BUTTON_USER_INVALID`. */
const PART_OF_MESSAGE = /^(can't parse|button|inline (keyboard )?button|reply markup)/;
/** One chat, one user, or the bot's rights there. */
const NAMES_RECIPIENT =
  /\b(chat|user|group|supergroup|channel|peer|member|participant|recipient|topic|thread|rights|forbidden|restricted|privacy|blocked|deactivated|premium)s?\b/;
const ALBUM = /^failed to send message #\d+ with the error message "(.*)"\.?$/;

/** Whether a 400 with this description refuses the message itself: it names no chat and no user. */
export function isOfMessage(description: string): boolean {
  const text = refusalKey(description);
  return text !== '' && (PART_OF_MESSAGE.test(text) || !NAMES_RECIPIENT.test(text));
}

/** Equal for refusals of the same kind: without the number in an album, quoted texts, and positions. */
export function refusalKey(description: string): string {
  const whole = bare(description);
  const text = bare(ALBUM.exec(whole)?.[1] ?? whole);
  return text
    .replaceAll('_', ' ')
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/(?<!\w)'[^']*'(?!\w)/g, "''")
    .replaceAll(/\d+/g, '0');
}

const bare = (description: string): string =>
  description
    .trim()
    .toLowerCase()
    .replace(/^bad request:? */, '');

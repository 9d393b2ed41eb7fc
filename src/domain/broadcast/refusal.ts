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

/** The most characters of a stored message. */
const MAX_MESSAGE = 1000;

/** A message as the log and PostgreSQL can keep it. */
export function storableMessage(message: string): string {
  return message.toWellFormed().replaceAll('\0', '\ufffd').slice(0, MAX_MESSAGE).toWellFormed();
}

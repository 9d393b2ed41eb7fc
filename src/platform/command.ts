import { isJsonObject, type JsonObject, property, safeInteger } from '../domain/json.ts';

export interface Command {
  /** With its slash, without the bot's name: `/help`. */
  readonly name: string;
  /** What follows the command, if it can be a payload of a start link. */
  readonly payload: string | null;
}

const COMMAND = /^(\/[A-Za-z0-9_]{1,64})(?:@([A-Za-z0-9_]+))?$/;
const PAYLOAD = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The command that a message begins with.
 * @param username the bot's own; null: not known. In a group a command may name the bot that it is for, another one too.
 */
export function commandOf(message: JsonObject, username: string | null): Command | null {
  const text = property(message, 'text');
  if (typeof text !== 'string' || !text.startsWith('/')) return null;
  const length = commandLength(text, property(message, 'entities'));
  const [, name, addressee] = COMMAND.exec(text.slice(0, length)) ?? [];
  if (name === undefined) return null;
  if (addressee !== undefined && username !== null && addressee.toLowerCase() !== username.toLowerCase()) return null;
  const rest = text.slice(length).trim();
  return { name, payload: PAYLOAD.test(rest) ? rest : null };
}

/**
 * Of the entity that marks the command, in UTF-16 units as JavaScript counts. The platform marks every command, so
 * text with entities but no such mark is none (code, say); who writes updates by hand may leave the entities out.
 */
function commandLength(text: string, entities: unknown): number {
  if (entities === undefined) return /^\S+/.exec(text)![0].length;
  if (!Array.isArray(entities)) return 0;
  for (const entity of entities) {
    if (!isJsonObject(entity) || property(entity, 'type') !== 'bot_command') continue;
    if (safeInteger(property(entity, 'offset')) === 0) return safeInteger(property(entity, 'length')) ?? 0;
  }
  return 0;
}

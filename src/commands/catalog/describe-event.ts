import {
  type DescribeEvent,
  describeEvent as decide,
  dictionary,
  eventTypes,
} from '../../domain/catalog/event-types.ts';
import { SYSTEM_EVENTS } from '../../domain/intake/system-events.ts';
import { dictionaryStream, eventTypesStream } from '../../domain/streams.ts';
import {
  type CommandContext,
  type CommandMeta,
  type CommandResult,
  decideAndAppend,
  load,
} from '../decide-and-append.ts';
import { existingBot } from './change-bot.ts';

/** Changes the words that people read for an event of a bot. @throws Rejection */
export async function describeEvent(
  context: CommandContext,
  { bot, ...words }: { readonly bot: string } & DescribeEvent,
  meta: CommandMeta = {},
): Promise<Pick<CommandResult<unknown>, 'position' | 'repeated'>> {
  await existingBot(context.log, bot);
  const isKnown = await hasEvent(context, bot, words.event_id);
  return decideAndAppend(context, dictionary, dictionaryStream(bot), (state) => decide(state, words, isKnown), meta);
}

/** Ids are never taken back, so an event that is known stays known. */
async function hasEvent({ log }: CommandContext, bot: string, eventId: number): Promise<boolean> {
  if (Object.values<number>(SYSTEM_EVENTS).includes(eventId)) return true;
  const { state } = await load(log, eventTypes, eventTypesStream(bot));
  return [...state.names.values(), ...state.goals.values()].includes(eventId);
}

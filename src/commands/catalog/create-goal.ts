import { createGoal as decide, eventTypes } from '../../domain/catalog/event-types.ts';
import { eventTypesStream } from '../../domain/streams.ts';
import type { RecordedCommit } from '../../log/port.ts';
import { type CommandContext, type CommandMeta, type CommandResult, decideAndAppend } from '../decide-and-append.ts';
import { idFloor } from '../operations/recover.ts';
import { existingBot } from './change-bot.ts';

export interface CreateGoal {
  readonly bot: string;
  readonly targetId: number;
  readonly name: string;
}

/** @throws Rejection */
export async function createGoal(
  context: CommandContext,
  { bot, targetId, name }: CreateGoal,
  meta: CommandMeta = {},
): Promise<{ readonly eventId: number } & Pick<CommandResult<unknown>, 'position' | 'repeated'>> {
  await existingBot(context.log, bot);
  const above = await idFloor(context.log, 'event');
  const { events, position, repeated } = await decideAndAppend(
    context,
    eventTypes,
    eventTypesStream(bot),
    (state) => decide(state, { target_id: targetId, name }, above),
    meta,
  );
  return { eventId: events[0]!.data.event_id, position, repeated };
}

/** The event id of the goal that a commit created. */
export const goalCreatedIn = ({ events }: RecordedCommit): number => eventTypes.read(events[0]!).data.event_id;

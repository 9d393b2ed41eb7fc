import { createGoal as decide, eventTypes } from '../../domain/catalog/event-types.ts';
import { eventTypesStream } from '../../domain/streams.ts';
import type { Position } from '../../log/port.ts';
import { type CommandContext, decideAndAppend } from '../decide-and-append.ts';
import { existingBot } from './bots.ts';

export interface CreateGoal {
  readonly bot: string;
  readonly targetId: number;
  readonly name: string;
}

/** @throws Rejection */
export async function createGoal(
  context: CommandContext,
  { bot, targetId, name }: CreateGoal,
): Promise<{ eventId: number; position: Position | undefined }> {
  await existingBot(context.log, bot);
  const { events, position } = await decideAndAppend(context, eventTypes, eventTypesStream(bot), (state) =>
    decide(state, { target_id: targetId, name }),
  );
  return { eventId: events[0]!.data.event_id, position };
}

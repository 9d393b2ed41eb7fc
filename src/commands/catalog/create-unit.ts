import { bot, createUnit as decide } from '../../domain/catalog/bot.ts';
import { botStream } from '../../domain/streams.ts';
import type { Position } from '../../log/port.ts';
import { type CommandContext, decideAndAppend } from '../decide-and-append.ts';
import { reserveId } from '../reserve-ids.ts';
import { existingBot } from './existing-bot.ts';

export interface CreateUnit {
  readonly bot: string;
  readonly code: string;
  readonly name: string | null;
  /** Decimals of a normal unit; undefined: 2. */
  readonly scale?: number | undefined;
}

/** @throws Rejection */
export async function createUnit(
  context: CommandContext,
  { bot: publicKey, ...unit }: CreateUnit,
): Promise<{ unitId: number; position: Position | undefined }> {
  await existingBot(context.log, publicKey);
  const unit_id = await reserveId(context, 'unit');
  const { position } = await decideAndAppend(context, bot, botStream(publicKey), (state) =>
    decide(state, { unit_id, ...unit }),
  );
  return { unitId: unit_id, position };
}

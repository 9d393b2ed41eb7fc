import { createRule as decide, program, type CreateRule as Rule } from '../domain/referral/program.ts';
import { programStream } from '../domain/streams.ts';
import type { Position } from '../log/port.ts';
import { type CommandContext, handle } from './handle.ts';
import { reserveId } from './reserve-ids.ts';
import { ruleCatalog } from './rule-catalog.ts';

export type CreateRule = Omit<Rule, 'rule_id'> & {
  /** The bot's public key. */
  readonly bot: string;
};

/** @throws Rejection */
export async function createRule(
  context: CommandContext,
  { bot, ...rule }: CreateRule,
): Promise<{ ruleId: number; position: Position | undefined }> {
  const catalog = await ruleCatalog(context.log, bot);
  const rule_id = await reserveId(context, 'rule');
  const { position } = await handle(context, program, programStream(bot), (state) =>
    decide(state, { ...rule, rule_id }, catalog),
  );
  return { ruleId: rule_id, position };
}

import { changeRule as decide, program, type RewardRuleChanges } from '../../domain/referral/program.ts';
import { programStream } from '../../domain/streams.ts';
import type { Position } from '../../log/port.ts';
import { type CommandContext, decideAndAppend } from '../decide-and-append.ts';
import { ruleCatalog } from './rule-catalog.ts';

/** @throws Rejection */
export async function changeRule(
  context: CommandContext,
  { bot, ruleId }: { readonly bot: string; readonly ruleId: number },
  changes: RewardRuleChanges,
): Promise<{ position: Position | undefined }> {
  const catalog = await ruleCatalog(context.log, bot);
  return decideAndAppend(context, program, programStream(bot), (state) => decide(state, ruleId, changes, catalog));
}

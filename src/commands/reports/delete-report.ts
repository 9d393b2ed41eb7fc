import { deleteReport as decide, savedReport } from '../../domain/reports/saved/saved-report.ts';
import { reportStream } from '../../domain/streams.ts';
import { type CommandContext, type CommandMeta, type CommandResult, decideAndAppend } from '../decide-and-append.ts';

/** Deletes a saved report of a bot, which is named by its public key. @throws Rejection not_found */
export function deleteReport(
  context: CommandContext,
  { bot, uuid }: { readonly bot: string; readonly uuid: string },
  meta: CommandMeta,
): Promise<CommandResult<unknown>> {
  return decideAndAppend(context, savedReport, reportStream(bot, uuid), (state) => decide(state, uuid), meta);
}

import {
  changeReport,
  type SavedReport,
  saveReport as save,
  savedReport,
} from '../../domain/reports/saved/saved-report.ts';
import { reportStream } from '../../domain/streams.ts';
import { type CommandContext, type CommandMeta, type CommandResult, decideAndAppend } from '../decide-and-append.ts';

export interface SaveReport {
  /** Its public key. */
  readonly bot: string;
  /** With a uuid of its own, or that of the report that it replaces; its config is checked. */
  readonly report: SavedReport;
  readonly replaces: boolean;
}

/** @throws Rejection not_found: there is none to replace */
export function saveReport(
  context: CommandContext,
  { bot, report, replaces }: SaveReport,
  meta: CommandMeta,
): Promise<CommandResult<unknown>> {
  const decide = replaces ? changeReport : save;
  return decideAndAppend(context, savedReport, reportStream(bot, report.uuid), (state) => decide(state, report), meta);
}

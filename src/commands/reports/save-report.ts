import {
  changeReport,
  deleteReport as decide,
  pinReport as pin,
  type SavedReport,
  type SavedReportEvent,
  saveReport as save,
  savedReport,
} from '../../domain/reports/saved/saved-report.ts';
import { reportStream } from '../../domain/streams.ts';
import type { EventLog } from '../../log/port.ts';
import { type CommandContext, type CommandMeta, type CommandResult, decideAndAppend } from '../decide-and-append.ts';

/** The present state of a saved report in its stream. */
export interface ExistingReport {
  readonly name: string;
  /** JSON text. */
  readonly report_config: string;
  /** Milliseconds since 1970 UTC. */
  readonly created_at: number;
  readonly pinned: boolean;
}

/** Finds the bot (public key) whose stream has the report, and the revision of that stream; null: no bot has it. */
export async function reportEnds(
  log: EventLog,
  bots: readonly string[],
  uuid: string,
): Promise<{ readonly bot: string; readonly revision: number } | null> {
  const byStream = new Map(bots.map((bot) => [reportStream(bot, uuid), bot]));
  for (const [stream, { revision }] of await log.streamHeads([...byStream.keys()]))
    return { bot: byStream.get(stream)!, revision };
  return null;
}

/** Reads the report from the log; null: it was deleted. */
export async function existingReport(log: EventLog, bot: string, uuid: string): Promise<ExistingReport | null> {
  const { commits } = await log.read(reportStream(bot, uuid));
  let report: ExistingReport | null = null;
  for (const { at, events } of commits)
    for (const event of events.map(savedReport.read)) {
      if (event.type === 'report_deleted') return null;
      report = withEvent(report, event, at);
    }
  return report;
}

function withEvent(
  report: ExistingReport | null,
  { type, data }: Exclude<SavedReportEvent, { readonly type: 'report_deleted' }>,
  at: number,
): ExistingReport | null {
  if (type === 'report_pinned') return report && { ...report, pinned: data.pinned };
  const { created_at, pinned } = report ?? { created_at: at, pinned: false };
  return { name: data.name, report_config: data.report_config, created_at, pinned };
}

export interface SaveReport {
  /** Public key of the bot. */
  readonly bot: string;
  /** With a new uuid, or the uuid of the report that it replaces. Its config has been checked. */
  readonly report: SavedReport;
  readonly replaces: boolean;
}

/** Saves a report, new or in place of an existing one. @throws Rejection not_found: there is no report to replace */
export function saveReport(
  context: CommandContext,
  { bot, report, replaces }: SaveReport,
  meta: CommandMeta,
): Promise<CommandResult<unknown>> {
  const decide = replaces ? changeReport : save;
  return decideAndAppend(context, savedReport, reportStream(bot, report.uuid), (state) => decide(state, report), meta);
}

/** Deletes a saved report; `bot` is the bot's public key. @throws Rejection not_found */
export function deleteReport(
  context: CommandContext,
  { bot, uuid }: { readonly bot: string; readonly uuid: string },
  meta: CommandMeta,
): Promise<CommandResult<unknown>> {
  return decideAndAppend(context, savedReport, reportStream(bot, uuid), (state) => decide(state, uuid), meta);
}

/** Pins a saved report to the dashboard of its bot, or takes it off; `bot` is the bot's public key. @throws Rejection not_found */
export function pinReport(
  context: CommandContext,
  { bot, uuid, pinned }: { readonly bot: string; readonly uuid: string; readonly pinned: boolean },
  meta: CommandMeta,
): Promise<CommandResult<unknown>> {
  return decideAndAppend(context, savedReport, reportStream(bot, uuid), (state) => pin(state, uuid, pinned), meta);
}

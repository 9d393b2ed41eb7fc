import { MAX_NAME_LENGTH, textProblem } from '../../catalog/checks.ts';
import { type Decision, decider } from '../../decider.ts';
import type { DataOf, EventOf } from '../../event-type.ts';
import { Rejection } from '../../rejection.ts';
import { reportChanged, reportDeleted, reportPinned, reportSaved } from './saved-report-events.ts';

/** Stream `report-<bot>/<uuid>`: one saved report, from its creation to its deletion. */

export type SavedReport = DataOf<typeof reportSaved>;
type SavedReportState = 'none' | 'saved' | 'deleted';
export type SavedReportEvent = EventOf<
  typeof reportSaved | typeof reportChanged | typeof reportDeleted | typeof reportPinned
>;

export const savedReport = decider(
  [reportSaved, reportChanged, reportDeleted, reportPinned],
  (): SavedReportState => 'none',
  (_, event) => (event.type === 'report_deleted' ? 'deleted' : 'saved'),
);

/**
 * @param report its config is checked already: the check needs the bot's time zone, and this stream does not have it
 */
export function saveReport(state: SavedReportState, report: SavedReport): Decision<SavedReportEvent> {
  if (state !== 'none') return new Rejection('conflict', 'uuid', `report ${report.uuid} exists`);
  return reportNameProblem(report.name) ?? [{ type: 'report_saved', data: report }];
}

/** A replacement that changes nothing is also an event: it carries the command id that makes a repeat recognisable. */
export function changeReport(state: SavedReportState, report: SavedReport): Decision<SavedReportEvent> {
  if (state !== 'saved') return unknownReport();
  return reportNameProblem(report.name) ?? [{ type: 'report_changed', data: report }];
}

export function deleteReport(state: SavedReportState, uuid: string): Decision<SavedReportEvent> {
  if (state !== 'saved') return unknownReport();
  return [{ type: 'report_deleted', data: { uuid } }];
}

/** A pin that changes nothing is also an event, like a replacement. */
export function pinReport(state: SavedReportState, uuid: string, pinned: boolean): Decision<SavedReportEvent> {
  if (state !== 'saved') return unknownReport();
  return [{ type: 'report_pinned', data: { uuid, pinned } }];
}

/** The reason why a report cannot have this name; undefined: it can. */
export function reportNameProblem(name: string): Rejection | undefined {
  return textProblem('name', name, MAX_NAME_LENGTH);
}

const unknownReport = (): Rejection => new Rejection('not_found', 'uuid', 'there is no such report');

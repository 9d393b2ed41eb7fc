import { z } from 'zod';
import { MAX_NAME_LENGTH, textProblem } from '../../catalog/checks.ts';
import { type Decision, decider } from '../../decider.ts';
import { type DataOf, type EventOf, eventType } from '../../event-type.ts';
import { Rejection } from '../../rejection.ts';

/** Events of saved reports. */

const uuid = z.uuid();
const content = z.object({
  uuid,
  name: z.string(),
  /** The report_config as JSON text. It keeps the digits of all numbers as they were sent, and unknown keys. */
  report_config: z.string(),
});

export const reportSaved = eventType('report_saved', 1, content);
/** Replaces the name and configuration of a report. Its uuid and creation date stay. */
export const reportChanged = eventType('report_changed', 1, content);
export const reportDeleted = eventType('report_deleted', 1, z.object({ uuid }));
/** Pins a report to the dashboard of its bot, or takes it off. A change of the report keeps it. */
export const reportPinned = eventType('report_pinned', 1, z.object({ uuid, pinned: z.boolean() }));

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

import { type ReportConfig, readConfig } from './config.ts';
import { type ReportState, START, writeState } from './state.ts';

/** A saved report, as GET /v1/reports/list has it. */
export interface SavedReport {
  readonly uuid: string;
  readonly name: string;
  readonly report_config: ReportConfig;
  readonly date_create: string;
  readonly pinned: boolean;
}

/** The question of a saved report, without the parts that are not saved: the comparison, the form of a retention, and the report itself. */
export function savedText(state: ReportState): string {
  const { uuid: _, ...rest } = state;
  const { compare, retention } = START;
  return writeState({ ...rest, compare, retention: { ...rest.retention, view: retention.view } });
}

/** Whether a question is another one than a saved report's. */
export function isChanged(state: ReportState, { report_config }: SavedReport): boolean {
  const read = readConfig(report_config, START);
  return read !== null && savedText(read.state) !== savedText(state);
}

import type { Address } from '../address.ts';
import { readConfig } from './config.ts';
import type { SavedReport } from './saved-report.ts';
import { type ReportState, readState, START } from './state.ts';

/** The question of a page. */
export interface Question {
  readonly state: ReportState;
  /** Parts of the link that could not be read; null: it is no report. */
  readonly leftOut: readonly string[] | null;
  /** Settings of a saved report that the form would lose: it is run as it was saved. */
  readonly beyond: readonly string[];
}

/** The saved report that an address names; undefined: none. Older links have it within the question. */
export function uuidOf({ path, query }: Address): string | undefined {
  const part = path.split('/')[2];
  if (part !== undefined) return part === 'new' ? undefined : part;
  return readState(query.get('report')).state.uuid;
}

/** The question of an address: that of its link, else of its saved report, else a new one. Undefined: it has none of them. */
export function questionOf(address: Address, saved: SavedReport | undefined): Question | undefined {
  const text = address.query.get('report');
  if (text !== null || uuidOf(address) === undefined) return { ...readState(text), beyond: [] };
  if (saved === undefined) return undefined;
  const read = readConfig(saved.report_config, START);
  if (read === null)
    return { state: { ...START, type: 'list', chart: 'list' }, leftOut: [], beyond: ['report_config'] };
  return { ...read, leftOut: [] };
}

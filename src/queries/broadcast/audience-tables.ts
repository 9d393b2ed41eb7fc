import type { ReportTables } from '../reports/fields.ts';

/** The schemas of the read models that audiences are made from: those of conditions, and of lists. */
export interface AudienceTables extends ReportTables {
  readonly broadcasts: string;
  readonly recipients: string;
}

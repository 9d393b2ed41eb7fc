import type { ReportConfig } from './config.ts';

/** A report as the API takes it: its configuration, or the uuid of a saved one with a period. */
export type NamedReport = { readonly report_config: ReportConfig } | { readonly uuid: string; readonly params: object };

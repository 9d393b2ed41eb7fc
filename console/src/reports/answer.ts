import type { Value } from '../api.ts';

/** The answer of a report (docs/interface.md; columns and rows are the same for every type). */
export interface Answer {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly meta: Meta;
}

export interface Column {
  readonly key: string;
  readonly label: string;
  readonly type: 'date' | 'number' | 'string' | 'boolean';
  readonly metric?: number;
  readonly total?: number | string | null;
  readonly breakdown?: Readonly<Record<string, Value>>;
  readonly other?: boolean;
}

export type Row = Readonly<Record<string, Value>>;

export interface Meta {
  readonly timezone: string;
  readonly date_from: string;
  readonly date_to: string;
  readonly rows_total: number;
  readonly truncated: boolean;
  readonly data_as_of: string;
  readonly lag_ms: number;
  readonly warnings: readonly { readonly path: string; readonly message: string }[];
}

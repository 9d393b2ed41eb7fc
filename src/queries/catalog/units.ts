import { type CatalogSource, rowsOf } from './source.ts';

export interface UnitRow {
  readonly unit_id: number;
  readonly code: string;
  readonly name: string | null;
  /** Decimals of a normal unit. */
  readonly scale: number;
}

export function listUnits(source: CatalogSource, botId: number): Promise<UnitRow[]> {
  return rowsOf(
    source,
    'list_units',
    `SELECT unit_id::float8, code, name, scale FROM ${source.schema}.units WHERE bot_id = $1 ORDER BY units.unit_id`,
    [botId],
  );
}

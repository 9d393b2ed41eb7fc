import { type CatalogSource, rowsOf } from './source.ts';

export interface ExchangeRateRow {
  readonly from: string;
  readonly to: string;
  /** The UTC day from which on the rate counts, YYYY-MM-DD. */
  readonly date: string;
  /** Decimal text. */
  readonly rate: string;
}

export function listExchangeRates(source: CatalogSource): Promise<ExchangeRateRow[]> {
  return rowsOf(
    source,
    'list_exchange_rates',
    `SELECT from_code AS "from", to_code AS "to", date::text, rate::text
     FROM ${source.schema}.exchange_rates ORDER BY from_code, to_code, exchange_rates.date`,
  );
}

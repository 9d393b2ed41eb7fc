import { preparedRows, type Tables } from '../../database/tables.ts';

export interface ExchangeRateRow {
  readonly from: string;
  readonly to: string;
  /** The UTC day from which on the rate counts, YYYY-MM-DD. */
  readonly date: string;
  /** Decimal text. */
  readonly rate: string;
}

/** @param only currency codes, and the part of the list; absent: all rates */
export function listExchangeRates(
  { pool, catalog }: Tables<'catalog'>,
  only: {
    readonly from?: string | undefined;
    readonly to?: string | undefined;
    readonly limit?: number;
    readonly offset?: number;
  } = {},
): Promise<ExchangeRateRow[]> {
  return preparedRows(
    pool,
    `${catalog}.list_exchange_rates`,
    `SELECT from_code AS "from", to_code AS "to", date::text, rate::text
     FROM ${catalog}.exchange_rates
     WHERE ($1::text IS NULL OR from_code = $1) AND ($2::text IS NULL OR to_code = $2)
     ORDER BY from_code, to_code, exchange_rates.date LIMIT $3 OFFSET $4`,
    [only.from ?? null, only.to ?? null, only.limit ?? null, only.offset ?? 0],
  );
}

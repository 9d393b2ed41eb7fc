import type { ClientBase } from 'pg';

export interface ExchangeRateRow {
  readonly from: string;
  readonly to: string;
  readonly date: string;
  readonly rate: string;
}

/** The last one of a day counts, within the rows too. */
export async function upsertExchangeRates(tx: ClientBase, rows: readonly ExchangeRateRow[]): Promise<void> {
  if (rows.length === 0) return;
  const latest = [...new Map(rows.map((row) => [`${row.from} ${row.to} ${row.date}`, row])).values()];
  await tx.query({
    name: 'catalog.upsert_exchange_rates',
    text: `INSERT INTO exchange_rates (from_code, to_code, date, rate)
           SELECT * FROM unnest($1::text[], $2::text[], $3::date[], $4::numeric[])
           ON CONFLICT (from_code, to_code, date) DO UPDATE SET rate = excluded.rate`,
    values: [
      latest.map(({ from }) => from),
      latest.map(({ to }) => to),
      latest.map(({ date }) => date),
      latest.map(({ rate }) => rate),
    ],
  });
}

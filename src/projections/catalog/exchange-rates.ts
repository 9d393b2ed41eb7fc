import type { ClientBase } from 'pg';

export interface NameRow {
  /** Public key. */
  readonly bot: string;
  readonly event_id: number;
  readonly name: string;
}

export async function insertEventNames(tx: ClientBase, rows: readonly NameRow[]): Promise<void> {
  if (rows.length === 0) return;
  const { rowCount } = await tx.query({
    name: 'catalog.insert_event_names',
    text: `INSERT INTO event_types (bot_id, event_id, name)
           SELECT bot_id, event_id, given.name
           FROM unnest($1::text[], $2::bigint[], $3::text[]) AS given (public_key, event_id, name)
           JOIN bots USING (public_key)`,
    values: [rows.map(({ bot }) => bot), rows.map(({ event_id }) => event_id), rows.map(({ name }) => name)],
  });
  if (rowCount !== rows.length) throw new Error(`${rows.length - (rowCount ?? 0)} event names belong to no bot`);
}

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

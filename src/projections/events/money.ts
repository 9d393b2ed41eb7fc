import type { ClientBase } from 'pg';
import { keyOf } from '../../log/stream-name.ts';
import type { ReadCommit } from '../read-model.ts';

/** The largest bigint: the end of a period that has not ended, and a time that never comes. */
export const NEVER = '9223372036854775807';

/** Changed rates and currencies. `at` is the receipt of the first change of each. */
export interface MoneyChanges {
  readonly rates: readonly RateChange[];
  readonly owners: readonly { readonly owner_id: number; readonly at: number }[];
}

interface RateChange {
  readonly unit: string;
  readonly currency: string;
  readonly from_day: number;
  readonly at: number;
}

/**
 * Stores the exchange rates and the owners' currencies of a batch. They come from other partitions of the log than the
 * events that they convert, without a common order. So the rows keep the times of receipt. These decide whether a rate was
 * known when an event was received, in whatever order the partitions are read.
 */
export async function storeMoney(tx: ClientBase, commits: readonly ReadCommit[]): Promise<MoneyChanges> {
  const rates = new Map<string, Rate>();
  const currencies: OwnerCurrency[] = [];
  for (const commit of commits)
    for (const event of commit.events) {
      if (event.type === 'exchange_rate_set') addRate(rates, event.data, commit.at);
      if (event.type === 'owner_created' || event.type === 'owner_changed') {
        const { currency } = event.data;
        const owner_id = Number(keyOf(commit.stream));
        if (currency !== undefined) currencies.push({ owner_id, currency, at: commit.at });
      }
    }
  const days = [...rates.values()];
  await saveRates(tx, days);
  for (const currency of currencies) await saveCurrency(tx, currency);
  const owners = new Map<number, number>();
  for (const { owner_id, at } of currencies) if (!owners.has(owner_id)) owners.set(owner_id, at);
  return { rates: firstDays(days), owners: [...owners].map(([owner_id, at]) => ({ owner_id, at })) };
}

interface Rate {
  readonly unit: string;
  readonly currency: string;
  readonly day: number;
  readonly rate: string;
  readonly set_at: number;
}

interface OwnerCurrency {
  readonly owner_id: number;
  readonly currency: string;
  readonly at: number;
}

export const DAY_MS = 24 * 60 * 60 * 1000;

/** Adds a rate. The last rate of a day counts; the first one decides since when events of the day can be converted. */
function addRate(rates: Map<string, Rate>, data: { from: string; to: string; rate: string; date: string }, at: number) {
  const key = `${data.from} ${data.to} ${data.date}`;
  rates.set(key, {
    unit: data.from,
    currency: data.to,
    day: Date.parse(data.date) / DAY_MS,
    rate: data.rate,
    set_at: Math.min(at, rates.get(key)?.set_at ?? at),
  });
}

function firstDays(rates: readonly Rate[]): MoneyChanges['rates'] {
  const first = new Map<string, RateChange>();
  for (const { unit, currency, day, set_at } of rates) {
    const key = `${unit} ${currency}`;
    const known = first.get(key) ?? { from_day: day, at: set_at };
    first.set(key, { unit, currency, from_day: Math.min(day, known.from_day), at: Math.min(set_at, known.at) });
  }
  return [...first.values()];
}

async function saveRates(tx: ClientBase, rates: readonly Rate[]): Promise<void> {
  if (rates.length === 0) return;
  await tx.query(
    `INSERT INTO rates (unit, currency, day, rate, set_at, available_from)
     SELECT unit, currency, day, rate, set_at, set_at FROM jsonb_populate_recordset(NULL::rates, $1)
     ON CONFLICT (unit, currency, day) DO UPDATE
       SET rate = EXCLUDED.rate, set_at = least(rates.set_at, EXCLUDED.set_at)`,
    [JSON.stringify(rates)],
  );
  await tx.query(
    `UPDATE rates r SET available_from = n.available_from
       FROM (SELECT unit, currency, day,
                    min(set_at) OVER (PARTITION BY unit, currency ORDER BY day) AS available_from
               FROM rates
              WHERE (unit, currency) IN (SELECT * FROM unnest($1::text[], $2::text[]))) n
      WHERE r.unit = n.unit AND r.currency = n.currency AND r.day = n.day
        AND r.available_from <> n.available_from`,
    [rates.map(({ unit }) => unit), rates.map(({ currency }) => currency)],
  );
}

/** An owner's first currency counts for all times. A later one counts from its receipt, but not before the one it replaces. */
async function saveCurrency(tx: ClientBase, { owner_id, currency, at }: OwnerCurrency): Promise<void> {
  const { rows } = await tx.query<{ seq: number; currency: string; from_at: number }>(
    `SELECT seq, currency, from_at::float8 FROM owner_currencies WHERE owner_id = $1 ORDER BY seq DESC LIMIT 1`,
    [owner_id],
  );
  const last = rows[0];
  if (last?.currency === currency) return;
  const from = last === undefined ? 0 : Math.max(at, last.from_at);
  await tx.query('UPDATE owner_currencies SET to_at = $3 WHERE owner_id = $1 AND seq = $2', [
    owner_id,
    last?.seq,
    from,
  ]);
  await tx.query(
    `INSERT INTO owner_currencies (owner_id, seq, currency, from_at, to_at) VALUES ($1, $2, $3, $4, ${NEVER})`,
    [owner_id, (last?.seq ?? 0) + 1, currency, from],
  );
}

import type { ClientBase } from 'pg';
import { convert } from '../../domain/intake/amounts.ts';
import type { EventDraft } from './draft.ts';
import { DAY_MS } from './money.ts';

/**
 * Gives new events their amounts in the owner's currency, where that was possible when they were received.
 * @returns the others: they have no amount, or had none for a while (judge.ts)
 */
export async function priceEvents(
  tx: ClientBase,
  events: readonly EventDraft[],
  ownerOf: (event: EventDraft) => number,
): Promise<EventDraft[]> {
  const priced = events.filter(({ unit }) => unit !== null);
  for (const event of events)
    if (event.unit === null && event.value_norm !== null) event.value_amount = convert(event.value_norm, '1');
  if (priced.length === 0) return [];

  const currencies = await loadCurrencies(tx, new Set(priced.map(ownerOf)));
  const prices = new Map<string, Price>();
  for (const event of priced) {
    const currency = currencies.get(ownerOf(event));
    if (currency !== undefined && event.value_norm !== null)
      prices.set(priceKey(event, currency), priceOf(event, currency));
  }
  await loadPrices(
    tx,
    [...prices.values()].filter(({ unit, currency }) => unit !== currency),
  );

  return priced.filter((event) => {
    const currency = currencies.get(ownerOf(event));
    if (currency === undefined || event.value_norm === null) return true;
    const { rate, available_from } = prices.get(priceKey(event, currency))!;
    if (rate === null || Math.max(available_from, currency.from_at) > event.date_received) return true;
    event.value_amount = convert(event.value_norm, rate);
    return false;
  });
}

interface Currency {
  readonly currency: string;
  readonly from_at: number;
}

interface Price {
  readonly unit: string;
  readonly currency: string;
  readonly day: number;
  rate: string | null;
  available_from: number;
}

function priceOf(event: EventDraft, { currency }: Currency): Price {
  const same = event.unit === currency;
  return { unit: event.unit!, currency, day: dayOf(event), rate: same ? '1' : null, available_from: 0 };
}

function priceKey(event: EventDraft, { currency }: Currency): string {
  return `${event.unit} ${currency} ${dayOf(event)}`;
}

function dayOf({ date }: EventDraft): number {
  return Math.floor(date / DAY_MS);
}

async function loadCurrencies(tx: ClientBase, owners: ReadonlySet<number>): Promise<Map<number, Currency>> {
  const { rows } = await tx.query<{ owner_id: number; currency: string; from_at: number }>({
    name: 'events.load_currencies',
    text: `SELECT DISTINCT ON (owner_id) owner_id::float8, currency, from_at::float8 FROM owner_currencies
            WHERE owner_id = ANY ($1::bigint[]) ORDER BY owner_id, seq DESC`,
    values: [[...owners]],
  });
  return new Map(rows.map(({ owner_id, currency, from_at }) => [owner_id, { currency, from_at }]));
}

/** Sets the rates: of the latest day not after the price's own. */
async function loadPrices(tx: ClientBase, prices: readonly Price[]): Promise<void> {
  if (prices.length === 0) return;
  const { rows } = await tx.query<[number, string, number]>({
    name: 'events.load_prices',
    text: `SELECT p.i::int, r.rate::text, r.available_from::float8
             FROM unnest($1::text[], $2::text[], $3::int[]) WITH ORDINALITY AS p (unit, currency, day, i),
          LATERAL (SELECT x.rate, x.available_from FROM rates x
                    WHERE x.unit = p.unit AND x.currency = p.currency AND x.day <= p.day
                    ORDER BY x.day DESC LIMIT 1) r`,
    values: [prices.map(({ unit }) => unit), prices.map(({ currency }) => currency), prices.map(({ day }) => day)],
    rowMode: 'array',
  });
  for (const [i, rate, available_from] of rows) Object.assign(prices[i - 1]!, { rate, available_from });
}

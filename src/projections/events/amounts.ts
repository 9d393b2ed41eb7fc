import type { ClientBase } from 'pg';
import { convert } from '../../domain/intake/amounts.ts';
import type { EventDraft } from './draft.ts';
import { DAY_MS, NEVER } from './money.ts';

/** What a unit was worth on a day in the currency that its owner now has; null: there is no rate. */
interface Price {
  readonly rate: string | null;
  /** Since when, by receipts, there is this currency and a rate of the day or an earlier one. */
  readonly since: number;
}

/**
 * Gives new events their amounts in the owner's currency, where that was possible when they were received.
 * @returns the others: they have no amount, or had none for a while (convert-amounts.ts)
 */
export async function priceEvents(
  tx: ClientBase,
  events: readonly EventDraft[],
  ownerOf: (event: EventDraft) => number,
): Promise<EventDraft[]> {
  const priced: EventDraft[] = [];
  const asked = new Map<string, EventDraft>();
  const keyOf = (event: EventDraft) => `${ownerOf(event)} ${event.unit} ${dayOf(event)}`;
  for (const event of events) {
    if (event.unit !== null) {
      priced.push(event);
      if (event.value_norm !== null) asked.set(keyOf(event), event);
    } else if (event.value_norm !== null) event.value_amount = convert(event.value_norm, '1');
  }
  const prices = await loadPrices(tx, asked, ownerOf);
  return priced.filter((event) => {
    const price = event.value_norm === null ? undefined : prices.get(keyOf(event));
    if (price === undefined || price.rate === null || price.since > event.date_received) return true;
    event.value_amount = convert(event.value_norm!, price.rate);
    return false;
  });
}

/** The prices of the events' units on their days, by the same keys; none for owners that are not known yet. */
async function loadPrices(
  tx: ClientBase,
  asked: ReadonlyMap<string, EventDraft>,
  ownerOf: (event: EventDraft) => number,
): Promise<Map<string, Price>> {
  if (asked.size === 0) return new Map();
  const keys = [...asked.keys()];
  const events = [...asked.values()];
  const { rows } = await tx.query<[number, string | null, number]>({
    name: 'events.load_prices',
    text: `SELECT p.i::int, CASE WHEN o.currency = p.unit THEN 1 ELSE r.rate END::text,
                  greatest(o.from_at, CASE WHEN o.currency = p.unit THEN 0 ELSE r.available_from END)::float8
             FROM unnest($1::bigint[], $2::text[], $3::int[]) WITH ORDINALITY AS p (owner_id, unit, day, i)
             JOIN owner_currencies o ON o.owner_id = p.owner_id AND o.to_at = ${NEVER}
             LEFT JOIN LATERAL (
               SELECT x.rate, x.available_from FROM rates x
                WHERE x.unit = p.unit AND x.currency = o.currency AND x.day <= p.day
                ORDER BY x.day DESC LIMIT 1) r ON true`,
    values: [events.map(ownerOf), events.map(({ unit }) => unit), events.map(dayOf)],
    rowMode: 'array',
  });
  return new Map(rows.map(([i, rate, since]) => [keys[i - 1]!, { rate, since }]));
}

function dayOf({ date }: EventDraft): number {
  return Math.floor(date / DAY_MS);
}

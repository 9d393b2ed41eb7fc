import type { ClientBase } from 'pg';
import { groupsOfBots, ofBot, onlyBot } from '../../database/of-bot.ts';
import { convert } from '../../domain/intake/amounts.ts';
import { ERROR_MEMORY_MS } from '../../domain/intake/intake-fold.ts';
import { nameOf, numbers } from '../batch-sql.ts';
import { HOUR_MS } from '../intake-state.ts';
import { PAYLOAD, SOURCE } from './bot-error-rows.ts';
import type { EventDraft } from './draft.ts';
import { DAY_MS, NEVER } from './money.ts';

/** The price of a unit on a day, in the current currency of the bot's owner. */
interface Price {
  /** null: there is no rate. */
  readonly rate: string | null;
  /** The receipt from which on the owner has this currency, and a rate of the day or an earlier one exists. */
  readonly since: number;
}

/**
 * Sets the amounts of new events in the owner's currency, if they could be converted when they were received.
 * @returns the other events with a unit: they have no amount, or had none for a while ({@link convertAmounts})
 */
export async function priceEvents(
  tx: ClientBase,
  events: readonly EventDraft[],
  ownerOf: (event: EventDraft) => number,
): Promise<EventDraft[]> {
  const priced: EventDraft[] = [];
  const lookups = new Map<string, EventDraft>();
  const keyOf = (event: EventDraft) => `${ownerOf(event)} ${event.unit} ${dayOf(event)}`;
  for (const event of events) {
    if (event.unit !== null) {
      priced.push(event);
      if (event.value_norm !== null) lookups.set(keyOf(event), event);
    } else if (event.value_norm !== null) event.value_amount = convert(event.value_norm, '1');
  }
  const prices = await loadPrices(tx, lookups, ownerOf);
  return priced.filter((event) => {
    const price = event.value_norm === null ? undefined : prices.get(keyOf(event));
    if (price === undefined || price.rate === null || price.since > event.date_received) return true;
    event.value_amount = convert(event.value_norm!, price.rate);
    return false;
  });
}

/** Loads the prices of the events' units on their days, by the same keys; none for owners that are not known yet. */
async function loadPrices(
  tx: ClientBase,
  lookups: ReadonlyMap<string, EventDraft>,
  ownerOf: (event: EventDraft) => number,
): Promise<Map<string, Price>> {
  if (lookups.size === 0) return new Map();
  const keys = [...lookups.keys()];
  const events = [...lookups.values()];
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

/**
 * Sets the value, the amount and the warning of events again, from the current units, rates and currencies.
 *
 * An event has no amount while its unit is unknown, or while no rate of its day or an earlier one leads to the owner's
 * currency of that time. Each currency of the owner gives one gap at most: from the start of the currency (or the event's
 * receipt) to its end (or the first such rate, or the creation of the unit if that is later). The warning begins with the
 * first gap and is resolved at the end of the last one, if that ended. Without a gap there is no warning. The warning names
 * the unit or rate that was missing last.
 */
const convertSql = (only: number | null): string => `
WITH converted AS (
  SELECT e.*, b.clock, u.known_at, v.minor, v.norm, s.opened, s.closed, s.amount
    FROM unnest($1::int[], $2::bigint[], $3::bigint[], $4::bigint[]) AS c (bot_id, user_id, date, ord)
    JOIN events e USING (bot_id, user_id, date, ord)
    JOIN bots b USING (bot_id)
    JOIN event_types t USING (bot_id, event_id)
   CROSS JOIN LATERAL (
     SELECT (own->>'scale')::int AS scale,
            CASE WHEN (own->>'ord')::bigint > e.ord THEN (own->>'at')::bigint ELSE 0 END AS known_at
       FROM (SELECT b.units->e.unit AS own) units) u
   CROSS JOIN LATERAL (
     SELECT CASE WHEN comes AND t.target_id IS NOT NULL THEN trim_scale(e.value_int * ('1e' || u.scale)::numeric)
                 ELSE e.value_int END AS minor,
            CASE WHEN NOT comes THEN e.value_norm
                 WHEN t.target_id IS NOT NULL THEN e.value_int
                 ELSE trim_scale(e.value_int * ('1e-' || u.scale)::numeric) END AS norm
       FROM (SELECT e.value_norm IS NULL AND u.scale IS NOT NULL AS comes) value) v
   CROSS JOIN LATERAL (
     SELECT min(opens) FILTER (WHERE opens < closes) AS opened,
            max(closes) FILTER (WHERE opens < closes) AS closed,
            trim_scale(round(v.norm * max(rate) FILTER (WHERE to_at = ${NEVER}), 6)) AS amount
       FROM (
         SELECT o.to_at, greatest(o.from_at, e.date_received) AS opens,
                CASE WHEN v.norm IS NULL OR r.available_from IS NULL AND o.currency <> e.unit THEN o.to_at
                     WHEN o.currency = e.unit THEN 0
                     ELSE least(o.to_at, greatest(r.available_from, u.known_at)) END AS closes,
                CASE WHEN o.currency = e.unit THEN 1 ELSE r.rate END AS rate
           FROM owner_currencies o
           LEFT JOIN LATERAL (
             SELECT x.rate, x.available_from FROM rates x
              WHERE x.unit = e.unit AND x.currency = o.currency AND x.day <= floor(e.date / ${DAY_MS}.0)
              ORDER BY x.day DESC LIMIT 1) r ON true
          WHERE o.owner_id = b.owner_id) stretches) s
   WHERE ${ofBot('e.bot_id', only)} AND ${ofBot('b.bot_id', only)} AND ${ofBot('t.bot_id', only)}),
priced AS (
  UPDATE events e SET value_int = j.minor, value_norm = j.norm, value_amount = j.amount FROM converted j
   WHERE e.bot_id = j.bot_id AND e.user_id = j.user_id AND e.date = j.date AND e.ord = j.ord
     AND ${ofBot('e.bot_id', only)} AND (e.value_norm, e.value_amount) IS DISTINCT FROM (j.norm, j.amount)),
withdrawn AS (
  /* row by row by the key, as in bot-errors.ts */
  DELETE FROM bot_errors w
   WHERE w.ctid = ANY (ARRAY(
     SELECT (SELECT x.ctid FROM bot_errors x
              WHERE x.bot_id = j.bot_id AND ${ofBot('x.bot_id', only)} AND x.commit_id = j.commit_id AND x.idx = j.idx
                AND x.kind = 'warning')
       FROM converted j WHERE j.opened IS NULL))
     AND ${ofBot('w.bot_id', only)})
INSERT INTO bot_errors AS w (bot_id, commit_id, idx, kind, date, source, message, payload, resolved_at)
SELECT e.bot_id, e.commit_id, e.idx, 'warning', e.opened, ${SOURCE},
       CASE WHEN e.norm IS NULL OR e.known_at >= e.closed THEN 'Unit ' || e.unit || ' is neither a unit of the bot nor a currency'
            ELSE 'No exchange rate for ' || e.unit || ' on '
                 || to_char(to_timestamp(e.date / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD') END,
       ${PAYLOAD}, nullif(e.closed, ${NEVER})
  FROM converted e JOIN event_types t USING (bot_id, event_id)
 WHERE ${ofBot('t.bot_id', only)} AND e.opened IS NOT NULL AND e.opened >= e.clock - e.clock % ${HOUR_MS} - ${ERROR_MEMORY_MS}
ON CONFLICT (bot_id, commit_id, idx, kind) DO UPDATE
  SET date = EXCLUDED.date, message = EXCLUDED.message, resolved_at = EXCLUDED.resolved_at
 WHERE (w.date, w.message, w.resolved_at) IS DISTINCT FROM (EXCLUDED.date, EXCLUDED.message, EXCLUDED.resolved_at)`;

/** The key of a row of the table. */
export type EventKey = Pick<EventDraft, 'bot_id' | 'user_id' | 'date' | 'ord'>;

/** Converts events of the table. Idempotent. The result does not depend on the bot's clock (see the condition). */
export async function convertAmounts(tx: ClientBase, events: readonly EventKey[]): Promise<void> {
  if (events.length === 0) return;
  for (const group of await groupsOfBots(tx, events, ({ bot_id }) => bot_id)) {
    const ids = group.map(({ bot_id }) => bot_id);
    const only = onlyBot(tx, ids);
    await tx.query({
      name: nameOf('events.convert_amounts', only),
      text: convertSql(only),
      values: [
        numbers(ids),
        numbers(group.map(({ user_id }) => user_id)),
        numbers(group.map(({ date }) => date)),
        numbers(group.map(({ ord }) => ord)),
      ],
    });
  }
}

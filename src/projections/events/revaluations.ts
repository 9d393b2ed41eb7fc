import type { ClientBase } from 'pg';
import { convertAmounts, type EventKey } from './amounts.ts';
import { DAY_MS, type MoneyChanges } from './money.ts';

/**
 * A changed rate or currency, or a new unit, may touch all events of many bots, which takes 50 µs an event: minutes, in
 * one transaction that would keep every reader of the log waiting (see the runtime). So the batch only notes that they are
 * to be converted anew, and that is done in slices, each a transaction of its own. An event is converted by money as it stands,
 * so what a slice finds changed again, by a batch in between, is right too; what it has passed is noted again by that
 * batch.
 *
 * A pass that has begun goes on to its end, however often the same is noted meanwhile: that makes one more pass. One
 * pass at a time, in the order noted, so each comes to its turn.
 */
export const REVALUATIONS_DDL = `
CREATE TABLE revaluations (
  seq bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  /* events of this owner's bots; or of this bot those with the unit; or of all that have or had the currency */
  owner_id bigint,
  of_bot int,
  unit text,
  currency text,
  from_date bigint NOT NULL,
  /* receipt of the first change that it was noted for */
  noted_at bigint NOT NULL,
  begun boolean NOT NULL DEFAULT false,
  /* what has been converted: bots below this one, and of this one the events up to (date, ord); null: none of them */
  bot_id int NOT NULL DEFAULT 0,
  date bigint,
  ord bigint,
  UNIQUE NULLS NOT DISTINCT (owner_id, of_bot, unit, currency, begun)
);
`;

/** How much a slice does at most; what takes long is to convert. */
export interface SliceLimits {
  /** Events converted: 2,000 take some 100 ms. */
  readonly converted: number;
  /** Events looked at, most of which may have no unit: 20,000 take some 20 ms. */
  readonly looked: number;
  /** Bots whose events are looked up, a query each; and passes begun. */
  readonly steps: number;
  /** Bots that are passed over at once, having no such events. */
  readonly bots: number;
}

const LIMITS: SliceLimits = { converted: 2000, looked: 20_000, steps: 100, bots: 1000 };

/** Smallest value of a JavaScript Date, in ms. */
const FIRST_DATE = -8.64e15;

/** A unit that a bot has from now on. */
export interface NewUnit {
  readonly bot_id: number;
  readonly unit: string;
  /** Receipt of its creation. */
  readonly at: number;
}

/** Notes the events that the changes touch, however old, to be converted anew. */
export async function noteRevaluations(
  tx: ClientBase,
  { rates, owners }: MoneyChanges,
  units: readonly NewUnit[],
): Promise<void> {
  if (units.length > 0)
    await tx.query(
      `INSERT INTO revaluations (of_bot, unit, from_date, noted_at)
       SELECT n.bot_id, n.unit, ${FIRST_DATE}, n.at FROM unnest($1::int[], $2::text[], $3::bigint[]) AS n (bot_id, unit, at)
       ON CONFLICT (owner_id, of_bot, unit, currency, begun) DO NOTHING`,
      [units.map(({ bot_id }) => bot_id), units.map(({ unit }) => unit), units.map(({ at }) => at)],
    );
  if (owners.length > 0)
    await tx.query(
      `INSERT INTO revaluations (owner_id, from_date, noted_at)
       SELECT n.owner_id, ${FIRST_DATE}, n.at FROM unnest($1::bigint[], $2::bigint[]) AS n (owner_id, at)
        WHERE EXISTS (SELECT FROM bots b WHERE b.owner_id = n.owner_id)
       ON CONFLICT (owner_id, of_bot, unit, currency, begun) DO NOTHING`,
      [owners.map(({ owner_id }) => owner_id), owners.map(({ at }) => at)],
    );
  if (rates.length > 0)
    await tx.query(
      `INSERT INTO revaluations AS r (unit, currency, from_date, noted_at)
       SELECT n.unit, n.currency, n.from_day::bigint * ${DAY_MS}, n.at
         FROM unnest($1::text[], $2::text[], $3::int[], $4::bigint[]) AS n (unit, currency, from_day, at)
        WHERE EXISTS (SELECT FROM owner_currencies o WHERE o.currency = n.currency)
       ON CONFLICT (owner_id, of_bot, unit, currency, begun) DO UPDATE
         SET from_date = least(r.from_date, EXCLUDED.from_date), noted_at = least(r.noted_at, EXCLUDED.noted_at)`,
      [
        rates.map(({ unit }) => unit),
        rates.map(({ currency }) => currency),
        rates.map(({ from_day }) => from_day),
        rates.map(({ at }) => at),
      ],
    );
}

/** Converts a slice of what was noted. Answers whether there is more. */
export async function revalueSlice(tx: ClientBase, limits: SliceLimits = LIMITS): Promise<boolean> {
  const left: Left = { ...limits };
  while (hasLeft(left)) {
    const pass = await takePass(tx);
    if (pass === undefined) return false;
    await goOn(tx, pass, left);
    left.steps--;
  }
  const { rowCount } = await tx.query('SELECT FROM revaluations LIMIT 1');
  return rowCount !== 0;
}

/** What a slice may still do. */
type Left = { -readonly [K in keyof SliceLimits]: SliceLimits[K] };

function hasLeft({ converted, looked, steps, bots }: Left): boolean {
  return converted > 0 && looked > 0 && steps > 0 && bots > 0;
}

/** How far a pass has come, as in the table. */
interface Place {
  readonly bot_id: number;
  readonly date: number | null;
  readonly ord: number | null;
}

interface Pass extends Place {
  readonly seq: string;
  readonly owner_id: number | null;
  readonly of_bot: number | null;
  readonly unit: string | null;
  readonly currency: string | null;
  readonly from_date: number;
}

/** The pass that has begun, else the first noted, which begins. */
async function takePass(tx: ClientBase): Promise<Pass | undefined> {
  const { rows } = await tx.query<Pass>(
    `UPDATE revaluations SET begun = true
      WHERE seq = (SELECT seq FROM revaluations ORDER BY begun DESC, seq LIMIT 1)
     RETURNING seq, owner_id::float8, of_bot, unit, currency, from_date::float8, bot_id, date::float8, ord::float8`,
  );
  return rows[0];
}

/** Goes on with a pass, to its end or until nothing is left to do it with. */
async function goOn(tx: ClientBase, pass: Pass, left: Left): Promise<void> {
  const { events, place } = await walk(tx, pass, left);
  await convertAmounts(tx, events);
  if (place === null) await tx.query('DELETE FROM revaluations WHERE seq = $1', [pass.seq]);
  else
    await tx.query('UPDATE revaluations SET bot_id = $2, date = $3, ord = $4 WHERE seq = $1', [
      pass.seq,
      place.bot_id,
      place.date,
      place.ord,
    ]);
}

/** The next events of a pass, and how far it has come by them; null: to its end. */
async function walk(tx: ClientBase, pass: Pass, left: Left): Promise<{ events: EventKey[]; place: Place | null }> {
  const events: EventKey[] = [];
  const bots = await nextBots(tx, pass, left.bots);
  left.bots -= bots.looked;
  for (const [i, bot_id] of bots.withEvents.entries()) {
    if (i > 0 && !(left.converted > 0 && left.looked > 0 && left.steps > 0))
      return { events, place: { bot_id, date: null, ord: null } };
    left.steps--;
    const found = await nextEvents(tx, pass, bot_id, left);
    left.looked -= found.looked;
    left.converted -= found.events.length;
    events.push(...found.events);
    if (found.last !== null) return { events, place: { bot_id, ...found.last } };
  }
  return { events, place: bots.next === null ? null : { bot_id: bots.next, date: null, ord: null } };
}

interface Bots {
  /** Those that the pass is about and that have events from its date on. */
  readonly withEvents: readonly number[];
  readonly looked: number;
  /** From which one to go on; null: that was all. */
  readonly next: number | null;
}

async function nextBots(tx: ClientBase, pass: Pass, limit: number): Promise<Bots> {
  const { rows } = await tx.query<[number, boolean]>({
    name: 'events.revaluation_bots',
    text: `SELECT b.bot_id,
                  ($3::text IS NULL OR EXISTS (
                    SELECT FROM owner_currencies o WHERE o.owner_id = b.owner_id AND o.currency = $3))
                  AND EXISTS (SELECT FROM events e WHERE e.bot_id = b.bot_id AND e.date >= $4)
             FROM bots b
            WHERE b.bot_id >= $1 AND ($2::bigint IS NULL OR b.owner_id = $2) AND ($6::int IS NULL OR b.bot_id = $6)
            ORDER BY b.bot_id LIMIT $5`,
    values: [pass.bot_id, pass.owner_id, pass.currency, pass.from_date, limit, pass.of_bot],
    rowMode: 'array',
  });
  return {
    withEvents: rows.filter(([, hasEvents]) => hasEvents).map(([bot_id]) => bot_id),
    looked: rows.length,
    next: rows.length < limit ? null : rows.at(-1)![0] + 1,
  };
}

interface Found {
  /** Those to be converted. */
  readonly events: readonly EventKey[];
  readonly looked: number;
  /** After which one to go on; null: that was all. */
  readonly last: { readonly date: number; readonly ord: number } | null;
}

/** The events of a bot from where the pass is: those to be converted, and the last that was looked at. */
async function nextEvents(tx: ClientBase, pass: Pass, bot_id: number, { looked, converted }: Left): Promise<Found> {
  const within = bot_id === pass.bot_id && pass.date !== null;
  const { rows } = await tx.query<[number, number, number, boolean, number]>({
    name: 'events.revaluation_events',
    text: `SELECT user_id::float8, date::float8, ord::float8, converted, n
             FROM (SELECT l.*, row_number() OVER (ORDER BY date, ord)::int AS n, count(*) OVER ()::int AS looked
                     FROM (SELECT e.user_id, e.date, e.ord,
                                  e.unit IS NOT NULL AND ($4::text IS NULL OR e.unit = $4) AS converted
                             FROM events e
                            WHERE e.bot_id = $1 AND (e.date, e.ord) > ($2::bigint, $3::bigint)
                            ORDER BY e.date, e.ord LIMIT $5) l) l
            WHERE converted OR n = looked
            ORDER BY n LIMIT $6`,
    values: [bot_id, within ? pass.date : pass.from_date, within ? pass.ord : -1, pass.unit, looked, converted],
    rowMode: 'array',
  });
  const end = rows.at(-1);
  if (end === undefined) return { events: [], looked: 0, last: null };
  const [, date, ord, , n] = end;
  return {
    events: rows.flatMap(([user_id, date, ord, isConverted]) => (isConverted ? [{ bot_id, user_id, date, ord }] : [])),
    looked: n,
    last: rows.length === converted || n === looked ? { date, ord } : null,
  };
}

import type { ClientBase } from 'pg';
import type { NewUnit } from './batch.ts';
import type { Moment } from './draft.ts';
import { convertAmounts, type EventKey } from './event-amounts.ts';
import { DAY_MS, type MoneyChanges, NEVER } from './money.ts';
import { restoreUnit } from './packed/restore-rows.ts';

/**
 * A changed rate or currency, or a new unit, may concern all events of many bots. A conversion takes 50 µs an event, so minutes
 * in all. One transaction of that length would delay every reader of the log (see the runtime). So a batch only records
 * that these events need a conversion. `idle` converts them in slices, each in its own transaction. A slice uses the
 * current rates, so it also converts correctly the events that a batch changes between two slices. If a batch changes a rate
 * of events that the pass has already converted, the batch records the change again.
 *
 * A pass that has begun runs to its end. If the same change is recorded again during the pass, even often, that makes one
 * more pass. Passes run one after the other, in the order of their records, so each pass gets its turn.
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
  /* receipt of the first change that it was recorded for */
  noted_at bigint NOT NULL,
  begun boolean NOT NULL DEFAULT false,
  /* progress: all bots below this one, and of this one the events up to (date, ord); null: none of them */
  bot_id int NOT NULL DEFAULT 0,
  date bigint,
  ord bigint,
  UNIQUE NULLS NOT DISTINCT (owner_id, of_bot, unit, currency, begun)
);
`;

/** The most work of a slice. The conversion takes most of its time. */
export interface SliceLimits {
  /** Events converted: 2,000 take about 100 ms. */
  readonly converted: number;
  /** Events read, also events without the unit: 20,000 take about 20 ms. */
  readonly scanned: number;
  /** Bots whose events are read (one query each), plus passes begun. */
  readonly steps: number;
  /** Bots looked at, most of which may have no such events. */
  readonly bots: number;
}

const LIMITS: SliceLimits = { converted: 2000, scanned: 20_000, steps: 100, bots: 1000 };

/** Smallest value of a JavaScript Date, in ms. */
const FIRST_DATE = -8.64e15;

/** Records that all events that the changes concern, of any age, need a new conversion. */
export async function recordRevaluations(
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
        WHERE n.owner_id IN (SELECT b.owner_id FROM bots b WHERE b.owner_id = ANY ($1::bigint[]))
       ON CONFLICT (owner_id, of_bot, unit, currency, begun) DO NOTHING`,
      [owners.map(({ owner_id }) => owner_id), owners.map(({ at }) => at)],
    );
  if (rates.length > 0)
    await tx.query(
      `INSERT INTO revaluations AS r (unit, currency, from_date, noted_at)
       SELECT n.unit, n.currency, n.from_day::bigint * ${DAY_MS}, n.at
         FROM unnest($1::text[], $2::text[], $3::int[], $4::bigint[]) AS n (unit, currency, from_day, at)
        WHERE n.currency IN (SELECT o.currency FROM owner_currencies o WHERE o.currency = ANY ($2::text[]))
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

/** Converts a slice of the recorded events. @returns whether there is more */
export async function revalueSlice(tx: ClientBase, limits: SliceLimits = LIMITS): Promise<boolean> {
  const budget: Budget = { ...limits };
  while (isLeft(budget)) {
    const pass = await takePass(tx);
    if (pass === undefined) return false;
    await continuePass(tx, pass, budget);
    budget.steps--;
  }
  return hasRevaluations(tx);
}

export async function hasRevaluations(tx: ClientBase): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT FROM revaluations LIMIT 1');
  return rowCount !== 0;
}

/** The work that a slice may still do. */
type Budget = { -readonly [K in keyof SliceLimits]: SliceLimits[K] };

function isLeft({ converted, scanned, steps, bots }: Budget): boolean {
  return converted > 0 && scanned > 0 && steps > 0 && bots > 0;
}

/** The progress of a pass, as in the table. */
interface Progress {
  readonly bot_id: number;
  readonly date: number | null;
  readonly ord: number | null;
}

interface Pass extends Progress {
  readonly seq: string;
  readonly owner_id: number | null;
  readonly of_bot: number | null;
  readonly unit: string | null;
  readonly currency: string | null;
  readonly from_date: number;
}

/** Takes the pass that has begun, or else begins the pass that was recorded first. */
async function takePass(tx: ClientBase): Promise<Pass | undefined> {
  const { rows } = await tx.query<Pass>(
    `UPDATE revaluations SET begun = true
      WHERE seq = (SELECT seq FROM revaluations ORDER BY begun DESC, seq LIMIT 1)
     RETURNING seq, owner_id::float8, of_bot, unit, currency, from_date::float8, bot_id, date::float8, ord::float8`,
  );
  return rows[0];
}

/** Continues a pass to its end or to the end of the budget. */
async function continuePass(tx: ClientBase, pass: Pass, budget: Budget): Promise<void> {
  const { events, progress } = await nextSlice(tx, pass, budget);
  await convertAmounts(tx, events);
  if (progress === null) await tx.query('DELETE FROM revaluations WHERE seq = $1', [pass.seq]);
  else
    await tx.query('UPDATE revaluations SET bot_id = $2, date = $3, ord = $4 WHERE seq = $1', [
      pass.seq,
      progress.bot_id,
      progress.date,
      progress.ord,
    ]);
}

/** Finds the next events of a pass, and the progress after them; null: the pass ends. */
async function nextSlice(
  tx: ClientBase,
  pass: Pass,
  budget: Budget,
): Promise<{ events: EventKey[]; progress: Progress | null }> {
  const events: EventKey[] = [];
  const bots = await nextBots(tx, pass, budget.bots);
  budget.bots -= bots.scanned;
  for (const [i, bot_id] of bots.withEvents.entries()) {
    if (i > 0 && !(budget.converted > 0 && budget.scanned > 0 && budget.steps > 0))
      return { events, progress: { bot_id, date: null, ord: null } };
    budget.steps--;
    const within = bot_id === pass.bot_id && pass.date !== null;
    const after = within ? { date: pass.date, ord: pass.ord! } : { date: pass.from_date, ord: -1 };
    const restored = await restoreUnit(tx, { bot_id, unit: pass.unit, after });
    const found = await nextEvents(tx, { bot_id, unit: pass.unit, after, until: restored?.until ?? null }, budget);
    budget.scanned -= found.scanned;
    budget.converted -= found.events.length + (restored?.rows ?? 0);
    events.push(...found.events);
    if (found.last !== null) return { events, progress: { bot_id, ...found.last } };
  }
  return { events, progress: bots.next === null ? null : { bot_id: bots.next, date: null, ord: null } };
}

interface Bots {
  /** Bots of the pass that have events from its date on. */
  readonly withEvents: readonly number[];
  readonly scanned: number;
  /** The bot to continue at; null: there are no more. */
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
    scanned: rows.length,
    next: rows.length < limit ? null : rows.at(-1)![0] + 1,
  };
}

interface FoundEvents {
  /** Events to convert. */
  readonly events: readonly EventKey[];
  readonly scanned: number;
  /** The event to continue after; null: there are no more. */
  readonly last: { readonly date: number; readonly ord: number } | null;
}

interface Sought {
  readonly bot_id: number;
  /** Null: any unit. */
  readonly unit: string | null;
  readonly after: Moment;
  /** Null: there is no end. */
  readonly until: Moment | null;
}

/** Reads the events of a bot between two moments. Returns the events to convert, and where to continue. */
async function nextEvents(
  tx: ClientBase,
  { bot_id, unit, after, until }: Sought,
  { scanned, converted }: Budget,
): Promise<FoundEvents> {
  const { rows } = await tx.query<[number, number, number, boolean, number]>({
    name: 'events.revaluation_events',
    text: `SELECT user_id::float8, date::float8, ord::float8, converted, n
             FROM (SELECT l.*, row_number() OVER (ORDER BY date, ord)::int AS n, count(*) OVER ()::int AS looked
                     FROM (SELECT e.user_id, e.date, e.ord,
                                  e.unit IS NOT NULL AND ($4::text IS NULL OR e.unit = $4) AS converted
                             FROM events e
                            WHERE e.bot_id = $1 AND (e.date, e.ord) > ($2::bigint, $3::bigint)
                              AND (e.date, e.ord) <= ($7::bigint, $8::bigint)
                            ORDER BY e.date, e.ord LIMIT $5) l) l
            WHERE converted OR n = looked
            ORDER BY n LIMIT $6`,
    values: [bot_id, after.date, after.ord, unit, scanned, converted, until?.date ?? NEVER, until?.ord ?? NEVER],
    rowMode: 'array',
  });
  const end = rows.at(-1);
  if (end === undefined) return { events: [], scanned: 0, last: until };
  const [, date, ord, , n] = end;
  return {
    events: rows.flatMap(([user_id, date, ord, isConverted]) => (isConverted ? [{ bot_id, user_id, date, ord }] : [])),
    scanned: n,
    last: rows.length === converted || n === scanned ? { date, ord } : until,
  };
}

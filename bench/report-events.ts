import type pg from 'pg';
import { ask } from './ask.ts';
import { random } from './random.ts';
import { type BenchService, projected } from './service.ts';

/** The events that reports are measured on. They are sent to a service, and are the same each time. */

/**
 * `wide` resembles the events of a shop: users by a power law, event types of unequal size, a price on every event, and
 * text of many lengths. `plain` has few different values; it is what earlier figures were measured on.
 */
export const SHAPES = ['wide', 'plain'] as const;
export type Shape = (typeof SHAPES)[number];

/** The shape in DATA. @throws if it is none */
export function shapeOfData(): Shape {
  const asked = process.env['DATA'] ?? 'wide';
  const shape = SHAPES.find((each) => each === asked);
  if (shape === undefined) throw new Error(`DATA must be ${SHAPES.join(' or ')}, not ${asked}`);
  return shape;
}

const BATCH = 1000;
/** Smaller than BATCH, because each user's names are sealed separately. */
const UPDATES = 200;
/** Above the ids of `startBenchService`: a repeated update would leave its user without UTM, or unknown. */
const FIRST_UPDATE = 1_000_000;

/** The share of events that are late, by up to LATE_MS. */
const LATE = Number(process.env['LATE'] ?? 0);
const LATE_MS = 7 * 86_400_000;

/** Sends users with thousands of UTM combinations, then events of 20 types, in the order of their dates but for late ones. */
export async function fillEvents(
  service: BenchService,
  { events: count, users, period, shape }: FillOptions,
): Promise<void> {
  const next = random(7);
  const pick = (count: number) => Math.floor(count * next());
  const { from, to } = period;
  const date = from / 1000 - 3600;
  for (let user = 1; user <= users; user += UPDATES)
    await ask(
      service,
      '/v1/send-batch-update',
      Array.from({ length: Math.min(UPDATES, users - user + 1) }, (_, i) => {
        const id = user + i;
        const language_code = ['en', 'de', 'fr', 'es', 'pt'][pick(5)];
        const sender = { id, is_bot: false, first_name: `User ${id}`, language_code, is_premium: pick(10) === 0 };
        const text = `/start source-s${pick(20)}_medium-m${pick(15)}_campaign-c${pick(20)}`;
        const message = { message_id: 1, date, chat: { id, type: 'private' }, from: sender, text };
        return { update: { update_id: FIRST_UPDATE + id, message } };
      }),
    );
  const event = shape === 'wide' ? wideEvents(users) : plainEvents(users);
  const lateness = random(11); // of other numbers, so that the events are the same whatever LATE is
  for (let sent = 0; sent < count; sent += BATCH) {
    const events = Array.from({ length: Math.min(BATCH, count - sent) }, (_, i) => {
      const late = lateness() < LATE ? lateness() * LATE_MS : 0;
      const date = Math.max(from, from + ((sent + i) / count) * (to - from) - late);
      return { ...event(next), date: new Date(Math.floor(date)).toISOString() };
    });
    await ask(service, '/v1/send-event', events);
  }
}

/** From `from` to before `to`, in milliseconds since 1970 UTC. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

interface FillOptions {
  readonly events: number;
  readonly users: number;
  readonly period: Period;
  readonly shape: Shape;
}

type Draw = (next: () => number) => { readonly event: string; readonly user_id: number };

/** A few users have most events. A fifth of the events has a value, a third one of 30 categories. */
function plainEvents(users: number): Draw {
  return (next) => {
    const pick = (count: number) => Math.floor(count * next());
    return {
      event: `event_${pick(20)}`,
      user_id: 1 + Math.floor(users * next() ** 2),
      ...(next() < 0.2 && { value_num: pick(100_000) }),
      ...(next() < 0.3 && { category: `c${pick(30)}` }),
    };
  };
}

/** Different prices, in hundredths. */
const PRICES = 10_000;
const WORDS = 'red blue large small winter summer cotton linen gift sale new classic light warm daily travel'.split(
  ' ',
);

/**
 * The number of events of the user of rank r falls as 1 / (r + a hundredth of all users). A price is even over 10,000 values.
 * A text is one of a tenth as many as there are users, of 1 to 40 words, most of them short.
 */
function wideEvents(users: number): Draw {
  const flat = users / 100;
  return (next) => {
    const pick = (count: number) => Math.floor(count * next());
    return {
      event: `event_${Math.floor(20 * next() ** 1.5)}`,
      user_id: 1 + Math.min(users - 1, Math.floor(flat * ((1 + users / flat) ** next() - 1))),
      value_num: (1 + pick(PRICES)) / 100,
      ...(next() < 0.3 && { category: `c${Math.floor(300 * next() ** 2)}` }),
      ...(next() < 0.4 && { value_str: textOf(Math.floor((users / 10) * next() ** 2)) }),
    };
  };
}

/** The text with a number: the same for equal numbers. At most 250 characters. */
function textOf(number: number): string {
  const next = random(number);
  const words = 1 + Math.floor(40 * next() ** 4);
  return [number, ...Array.from({ length: words }, () => WORDS[Math.floor(WORDS.length * next())])]
    .join(' ')
    .slice(0, 250);
}

/** Prints how many different values the events have, and how unevenly they are spread. */
export async function printShape(client: pg.Client, shape: Shape): Promise<void> {
  const { rows } = await client.query<Record<'field' | 'present' | 'values' | 'most' | 'length', string>>(
    `SELECT field, sum(n) AS present, count(*) AS values, max(n) AS most,
            coalesce(min(length) || ' to ' || max(length), '') AS length
       FROM (SELECT field, value, count(*) AS n, length(value) AS length FROM events_v1.events AS e
              CROSS JOIN LATERAL (VALUES ('user', e.user_id::text), ('event type', e.event_id::text),
                ('value', e.value_amount::text), ('category', e.category), ('text', e.value_str),
                ('UTM combination', e.utm_id::text)) AS f (field, value)
              WHERE value IS NOT NULL GROUP BY field, value) AS counted
      GROUP BY field ORDER BY field`,
  );
  console.log(`data "${shape}": field, events that have it, different values, events of the most frequent, characters`);
  for (const { field, present, values, most, length } of rows)
    console.log(
      `  ${field.padEnd(16)} ${[present, values, most].map((cell) => cell.padStart(9)).join('')}   ${length}`,
    );
}

/** Resolves when the read models have applied the log, and no deferred packing is left. */
export async function packed(service: BenchService, client: pg.Client): Promise<void> {
  await projected(service);
  while ((await client.query('SELECT FROM events_v1.put_off LIMIT 1')).rowCount !== 0)
    await new Promise((resolve) => setTimeout(resolve, 500));
}

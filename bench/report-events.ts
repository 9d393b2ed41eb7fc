import type pg from 'pg';
import { ask } from './ask.ts';
import { random } from './random.ts';
import type { Period } from './report-questions.ts';
import { type BenchService, projected } from './service.ts';

/** The events that reports are measured on. They are sent to a service, and are the same each time. */

const BATCH = 1000;
/** Smaller than BATCH, because each user's names are sealed separately. */
const UPDATES = 200;
/** Above the ids of `startBenchService`: a repeated update would leave its user without UTM, or unknown. */
const FIRST_UPDATE = 1_000_000;

/**
 * Sends users with thousands of UTM combinations, then events of 20 types. A few users have most events. Events are sent in
 * the order of their dates, as by one sender.
 */
export async function fillEvents(
  service: BenchService,
  { events: count, users, period }: { readonly events: number; readonly users: number; readonly period: Period },
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
  for (let sent = 0; sent < count; sent += BATCH) {
    const events = Array.from({ length: Math.min(BATCH, count - sent) }, (_, i) => ({
      event: `event_${pick(20)}`,
      user_id: 1 + Math.floor(users * next() ** 2),
      date: new Date(from + Math.floor(((sent + i) / count) * (to - from))).toISOString(),
      ...(next() < 0.2 && { value_num: pick(100_000) }),
      ...(next() < 0.3 && { category: `c${pick(30)}` }),
    }));
    await ask(service, '/v1/send-event', events);
  }
}

/** Resolves when the read models have applied the log, and no deferred packing is left. */
export async function packed(service: BenchService, client: pg.Client): Promise<void> {
  await projected(service);
  while ((await client.query('SELECT FROM events_v1.put_off LIMIT 1')).rowCount !== 0)
    await new Promise((resolve) => setTimeout(resolve, 500));
}

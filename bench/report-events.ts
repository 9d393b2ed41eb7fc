import type pg from 'pg';
import { DAYS } from './report-questions.ts';
import type { BenchService } from './service.ts';

/** What reports are measured on: sent to a service, the same every time. */

const BATCH = 1000;
/** Names are sealed one by one. */
const UPDATES = 200;
const DAY_MS = 86_400_000;

/** The same numbers in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Users who came by thousands of UTM combinations, then events of 20 types of users of whom a few do most, sent in the order
 * of their dates, as one sender would.
 */
export async function fillEvents(
  { address, apiKey }: BenchService,
  { events: count, users, from }: { readonly events: number; readonly users: number; readonly from: number },
): Promise<void> {
  const next = random(7);
  const pick = (count: number) => Math.floor(count * next());
  const headers = { 'content-type': 'application/json', 'api-key': apiKey };
  const post = async (path: string, body: unknown): Promise<void> => {
    const response = await fetch(`${address}/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  };
  const date = from / 1000 - 3600;
  for (let user = 1; user <= users; user += UPDATES)
    await post(
      'send-batch-update',
      Array.from({ length: Math.min(UPDATES, users - user + 1) }, (_, i) => {
        const id = user + i;
        const language_code = ['en', 'de', 'fr', 'es', 'pt'][pick(5)];
        const sender = { id, is_bot: false, first_name: `User ${id}`, language_code, is_premium: pick(10) === 0 };
        const text = `/start source-s${pick(20)}_medium-m${pick(15)}_campaign-c${pick(20)}`;
        const message = { message_id: 1, date, chat: { id, type: 'private' }, from: sender, text };
        return { update: { update_id: 1000 + id, message } };
      }),
    );
  for (let sent = 0; sent < count; sent += BATCH) {
    const events = Array.from({ length: BATCH }, (_, i) => ({
      event: `event_${pick(20)}`,
      user_id: 1 + Math.floor(users * next() ** 2),
      date: new Date(from + Math.floor(((sent + i) / count) * DAYS * DAY_MS)).toISOString(),
      ...(next() < 0.2 && { value_num: pick(100_000) }),
      ...(next() < 0.3 && { category: `c${pick(30)}` }),
    }));
    await post('send-event', events);
  }
}

/** Resolves when the read models have all of it, and nothing is left to pack. */
export async function packed({ address }: BenchService, client: pg.Client): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`${address}/metrics`)).text();
    const lags = [...metrics.matchAll(/^botledger_projection_lag_events\{.*\} (\d+)/gm)].map(([, n]) => Number(n));
    const due = await client.query('SELECT FROM events_v1.put_off LIMIT 1');
    if (lags.length > 0 && lags.every((lag) => lag === 0) && due.rowCount === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

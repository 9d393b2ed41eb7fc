import type { Client } from './client.ts';
import { history } from './history.ts';
import { CODES, codeOwners } from './person.ts';
import { createRules, payReferrers } from './program.ts';
import type { Item } from './script.ts';
import { waitUntilCounted } from './wait-until-counted.ts';

/** The maximum number of elements in one request. */
const MOST: Readonly<Record<Item['method'], number>> = {
  'send-batch-update': 1000,
  'send-event': 1000,
  'send-target': 100,
};
const BROADCAST = 'Demo: books for the weekend';

export interface Demo {
  readonly seed: number;
  /** The minimum number of updates, events and goals together. */
  readonly size: number;
  /** ms UTC */
  readonly now: number;
}

export interface Loaded {
  readonly users: number;
  readonly items: number;
}

/**
 * Sends the history of a bot through the API: codes before the visits that name them, and updates before the events,
 * since events need known users. Items that were sent before count once: events forever, updates for the 7 days in which
 * their ids are remembered. Returns when reports have counted all items, so that the next command shows them.
 */
export async function loadDemo(
  client: Client,
  { seed, size, now }: Demo,
  tell: (done: number, all: number) => void,
): Promise<Loaded> {
  const { users, items } = history(seed, size, now);
  await client.post('referral/set-code-owners', codeOwners());
  await createRules(client);
  let done = 0;
  for (const method of Object.keys(MOST) as Item['method'][]) {
    const bodies = items.filter((item) => item.method === method).map(({ body }) => body);
    for (let at = 0; at < bodies.length; at += MOST[method]) {
      const batch = bodies.slice(at, at + MOST[method]);
      await client.post(method, batch);
      done += batch.length;
      tell(done, items.length);
    }
  }
  await draftBroadcast(client);
  await waitUntilCounted(client);
  await payReferrers(client);
  return { users, items: items.length };
}

/** Creates a draft for users that came by a code or bought something, if there is no draft yet. */
async function draftBroadcast(client: Client): Promise<void> {
  const found = await client.get(`broadcast/list?filters[name]=${encodeURIComponent(BROADCAST)}&limit=1`);
  if ((found.data as { readonly items: readonly unknown[] }).items.length > 0) return;
  const payment = { event_id: 3, period_days: 30 };
  await client.post('broadcast/create', {
    type: 'sendMessage',
    name: BROADCAST,
    message: { text: 'Hello, <b>{{user.first_name}}</b>! New books are in.', parse_mode: 'html' },
    segmentations: {
      include: [
        { type: 'filter', config: { event_filters: ['and', ['performed_event', payment]] } },
        { type: 'filter', config: { user_conditions: ['in', 'users.addition_fields.referral_code', CODES] } },
      ],
      exclude: [{ type: 'filter', config: { user_conditions: ['!=', 'users.user_status', 'active'] } }],
    },
  });
}

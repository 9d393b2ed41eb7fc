import { type ClientOptions, createCall, surroundingsOf } from './call.ts';
import { type Client, createClient } from './client.ts';
import { EVENTS, UPDATES } from './paths.ts';
import { createQueue, type Queue, type QueueOptions, report } from './queue.ts';
import { notTaken, type Receipt } from './receipt.ts';
import type { CustomEvent, ForwardedUpdate } from './types.ts';

/** Options of the middleware of a library for bots. */
export interface ForwarderOptions extends ClientOptions {
  /** Whether updates of the platform are forwarded. Default true; false where the platform calls Botledger's webhook. */
  readonly forwardUpdates?: boolean;
  /** Of the queue of updates, and of the queue of events. */
  readonly queue?: Omit<QueueOptions<unknown>, 'onFailed'>;
  /** Gets updates and events that were not sent. Default: a line of `console.error`. */
  readonly onFailed?: (error: unknown, items: readonly (ForwardedUpdate | CustomEvent)[]) => void;
}

/** Actions of a handler for the user of its update. The numbers of rules refer to docs/forwarder.md. */
export interface UserTools {
  readonly client: Client;
  /**
   * Queues an event of the user, dated now. Its key has the id of the update, so that it counts once, however often the platform
   * delivers the update. `await event(…).sent` waits until the service has it.
   * @throws TypeError if JSON does not hold a field
   * @throws Error if neither update nor fields name a user
   */
  event(name: string, fields?: Partial<Omit<CustomEvent, 'event'>>): Receipt;
  /** The user's referral link: the newest, else a new one. Null until Botledger knows the bot's username. */
  referralLink(): Promise<string | null>;
}

/** Forwards the updates of a bot, and sends events of its users. */
export interface Forwarder {
  readonly client: Client;
  /** Queues the update and gives the tools for its handlers, without a wait. */
  received(update: { readonly update_id: number }, userId: number | undefined): UserTools;
  /** Resolves when all that was queued is sent or has failed. */
  flush(): Promise<void>;
  /** Sends all that waits, for `timeoutMs` (default 10,000) at most. Call it when the bot has stopped. */
  close(timeoutMs?: number): Promise<void>;
}

/** @throws TypeError if the address or the key cannot be sent */
export function createForwarder(options: ForwarderOptions): Forwarder {
  const { forwardUpdates = true, onFailed: handBack = report } = options;
  const client = createClient(options);
  const surroundings = surroundingsOf(options);
  const call = createCall(options, surroundings);
  const usual = { ...options.queue, onFailed: handBack };
  let closed = false;
  const updates = createQueue<ForwardedUpdate>(
    UPDATES,
    (batch, call) => client.post(UPDATES, [...batch], call),
    surroundings,
    usual,
  );
  const events = createQueue<CustomEvent>(
    EVENTS,
    async (batch, given) => {
      // Rule 7: an update may make the user, or the visit, that an event needs.
      await updates.flush();
      const answer = await call('POST', EVENTS, { query: { report: 'unknown_users' }, body: batch }, given);
      logUnknown((answer as { readonly unknown_users?: readonly number[] | null }).unknown_users ?? []);
    },
    surroundings,
    usual,
  );
  /** Rule 13: such events count nothing until the user appears, and nothing else says so to the bot. */
  let hasLogged = false;
  function logUnknown(users: readonly number[]): void {
    if (users.length === 0 || hasLogged) return;
    hasLogged = true;
    console.warn(
      `botledger: the bot has not met the users ${users.slice(0, 10).join(', ')}: their events do not count yet`,
    );
  }
  const date = (): string => new Date(surroundings.now()).toISOString();
  function onFailed(error: unknown, item: ForwardedUpdate | CustomEvent): void {
    try {
      handBack(error, [item]);
    } catch (thrown) {
      report(thrown, [item]);
    }
  }

  /** Rule 2: an item that finds its queue full or closed is reported, and the bot continues. */
  function put<T extends ForwardedUpdate | CustomEvent>(queue: Queue<T>, item: T): Receipt {
    const full = (): Error => new Error(closed ? 'the queue is closed' : 'the queue is full');
    const receipt = closed ? notTaken(full()) : queue.put(item);
    if (!receipt.taken) onFailed(full(), item);
    return receipt;
  }

  function forward(update: { readonly update_id: number }): void {
    const item = { date: date(), update };
    try {
      put(updates, item);
    } catch (error) {
      onFailed(error, item);
    }
  }

  return {
    client,
    received(update, userId) {
      if (forwardUpdates) forward(update);
      const nextKey = keysOf(update.update_id);
      const userOf = (given: number | undefined): number => {
        const user = given ?? userId;
        if (user === undefined) throw new Error(`the update ${update.update_id} has no user`);
        return user;
      };
      return {
        client,
        event(name, fields = {}) {
          const { user_id, date: at = date(), event_key = nextKey(name) } = fields;
          return put(events, { ...fields, date: at, event_key, event: name, user_id: userOf(user_id) });
        },
        async referralLink() {
          const user_id = userOf(undefined);
          const [newest] = (await client.get('/v1/referral/codes', { user_id })).codes;
          if (newest) return newest.link;
          // With the same key at each call, calls at the same time make one code.
          const options = { idempotencyKey: `referral link of ${user_id}` };
          return (await client.post('/v1/referral/create-code', { user_id }, options)).link;
        },
      };
    },
    async flush() {
      await Promise.all([updates.flush(), events.flush()]);
    },
    async close(timeoutMs) {
      closed = true;
      await Promise.all([updates.close(timeoutMs), events.close(timeoutMs)]);
    },
  };
}

/** So many characters of an event's name are in its key. A key may have 250. */
const NAME_LENGTH = 200;

/** Gives the keys of an update's events, by their names (rules 5 and 6). */
function keysOf(updateId: number): (name: string) => string {
  const counts = new Map<string, number>();
  return (name) => {
    const kept = [...name].slice(0, NAME_LENGTH).join('');
    const count = counts.get(kept) ?? 0;
    counts.set(kept, count + 1);
    return `update ${updateId} ${kept} ${count}`;
  };
}

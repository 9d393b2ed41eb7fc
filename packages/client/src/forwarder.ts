import { type ClientOptions, surroundingsOf } from './call.ts';
import { type Client, createClient, EVENTS, UPDATES } from './client.ts';
import { createQueue, type Queue, type QueueOptions, report } from './queue.ts';
import type { CustomEvent, ForwardedUpdate } from './types.ts';

/** Options of the middleware of a library for bots. */
export interface ForwarderOptions extends ClientOptions {
  /** Whether updates of the platform are forwarded. Default true; false where the platform calls Botledger's webhook. */
  readonly forwardUpdates?: boolean;
  /** Of the queue of updates, and of that of events. */
  readonly queue?: Omit<QueueOptions<unknown>, 'onFailed'>;
  /** Gets updates and events that were not sent. Default: a line of `console.error`. */
  readonly onFailed?: (error: unknown, items: readonly (ForwardedUpdate | CustomEvent)[]) => void;
}

/** Actions of a handler for the user of its update. */
export interface UserTools {
  readonly client: Client;
  /**
   * Queues an event of the user, dated now. If the platform delivers an update again, its events still count once: the key of
   * an event is the id of the update and the number of the event in it. @throws Error if neither update nor fields name a user
   */
  event(name: string, fields?: Partial<Omit<CustomEvent, 'event'>>): void;
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
  const { forwardUpdates = true, onFailed = report } = options;
  const client = createClient(options);
  const surroundings = surroundingsOf(options);
  const usual = { ...options.queue, onFailed };
  const updates = createQueue<ForwardedUpdate>(
    UPDATES,
    (batch, call) => client.post(UPDATES, [...batch], call),
    surroundings,
    usual,
  );
  const events = createQueue<CustomEvent>(
    EVENTS,
    async (batch, call) => {
      // An update may make the user, or the visit, that an event needs.
      await updates.flush();
      await client.post(EVENTS, [...batch], call);
    },
    surroundings,
    usual,
  );
  const date = (): string => new Date(surroundings.now()).toISOString();
  const add = <T extends ForwardedUpdate | CustomEvent>(queue: Queue<T>, item: T): void => {
    if (!queue.add(item)) onFailed(new Error('the queue is full'), [item]);
  };

  return {
    client,
    received(update, userId) {
      if (forwardUpdates) add(updates, { date: date(), update });
      let place = 0;
      const userOf = (given?: number): number => {
        const user = given ?? userId;
        if (user === undefined) throw new Error(`the update ${update.update_id} has no user`);
        return user;
      };
      return {
        client,
        event(name, fields = {}) {
          const event_key = `update ${update.update_id} ${place++}`;
          add(events, { date: date(), event_key, ...fields, event: name, user_id: userOf(fields.user_id) });
        },
        async referralLink() {
          const user_id = userOf();
          const [newest] = (await client.get('/v1/referral/codes', { user_id })).codes;
          return (newest ?? (await client.post('/v1/referral/create-code', { user_id }))).link;
        },
      };
    },
    async flush() {
      await Promise.all([updates.flush(), events.flush()]);
    },
    async close(timeoutMs) {
      await Promise.all([updates.close(timeoutMs), events.close(timeoutMs)]);
    },
  };
}

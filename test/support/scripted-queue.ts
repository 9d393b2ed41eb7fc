import type { CustomEvent, QueueOptions } from '@botledger/client';
import { scriptedClient } from './scripted-client.ts';

export const event = (n: number): CustomEvent => ({ event: `e${n}`, user_id: 1 });
export const events = (from: number, to: number): CustomEvent[] =>
  Array.from({ length: to - from + 1 }, (_, i) => event(from + i));

/** A queue, and a clock that moves when the test moves it. */
export function queueOf(options: QueueOptions<CustomEvent> = {}) {
  const sleeping = new Set<{ readonly at: number; readonly wake: () => void }>();
  let now = 0;
  const scripted = scriptedClient({
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const end = (): void => reject(signal!.reason);
        const wake = (): void => {
          signal?.removeEventListener('abort', end);
          resolve();
        };
        sleeping.add({ at: now + ms, wake });
        signal?.addEventListener('abort', end);
      }),
    now: () => now,
  });
  const failed: { error: unknown; items: readonly CustomEvent[] }[] = [];
  const onFailed = (error: unknown, items: readonly CustomEvent[]): void => void failed.push({ error, items });
  const queue = scripted.client.eventQueue({ onFailed, ...options });
  return {
    ...scripted,
    queue,
    failed,
    add: (...items: readonly CustomEvent[]) => items.map((item) => queue.add(item)),
    /** Moves the clock, and lets the queue work until it waits for the clock or for an answer. */
    async pass(ms: number): Promise<void> {
      await settled();
      now += ms;
      for (const sleeper of sleeping)
        if (sleeper.at <= now) {
          sleeping.delete(sleeper);
          sleeper.wake();
        }
      await settled();
    },
    bodies: () =>
      scripted.sent.map(({ body }) => (JSON.parse(body) as CustomEvent[]).map(({ event: name }) => name).join()),
    keys: () => scripted.sent.map(({ headers }) => headers.get('idempotency-key')),
  };
}

/** A success that comes when the test lets it come. */
export function later() {
  let come = (): void => {};
  const promise = new Promise<{ body: unknown }>((resolve) => {
    come = () => resolve({ body: { ok: true } });
  });
  return { promise, come };
}

/** Lets all promises settle that wait for no timer. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

import { amountOf } from './amounts.ts';
import { type CallOptions, checkMs, type Surroundings } from './call.ts';
import { copyOf } from './copy.ts';
import { type BotledgerError, InvalidRequestError } from './errors.ts';
import { EVENTS } from './paths.ts';
import { type Entry, entryOf, notTaken, type Receipt } from './receipt.ts';
import type { Spool } from './spooled.ts';
import type { CustomEvent } from './types.ts';
import { hold, letGo } from './unclosed.ts';

export interface QueueOptions<T> {
  /** Items in one request at most, 1 to 1000. Default 1000. */
  readonly maxBatch?: number;
  /** How long an item waits for others. Default 1000. */
  readonly maxDelayMs?: number;
  /** Items that wait or are on their way at most. Default 10,000. */
  readonly capacity?: number;
  /**
   * Keeps items until their outcome, so that a kill of the program does not lose them: `folderSpool` of
   * `@botledger/client/spool`. Events without an `event_key` get one, so that a repeat after a kill counts once.
   */
  readonly spool?: Spool;
  /** Gets the items that the service refused, or that `close` had no time for. Default: a line of `console.error`. */
  readonly onFailed?: (error: unknown, items: readonly T[]) => void;
}

/** Sends items in batches, in the order of `add`, one request at a time. */
export interface Queue<T> {
  /**
   * Takes a copy of an item, at once. False: the queue is full and did not take it.
   * @throws Error after `close`
   * @throws TypeError with the field of a value that JSON does not hold, such as NaN or a BigInt beyond 2^53
   */
  add(item: T): boolean;
  /** As `add`, but its `sent` resolves when the service has the item. @throws as `add` */
  put(item: T): Receipt;
  /** Items that wait or are on their way. */
  readonly size: number;
  /** Items that `add` did not take. */
  readonly dropped: number;
  /** Resolves when every item taken so far is sent or has failed. */
  flush(): Promise<void>;
  /**
   * Takes no more and flushes. Items without an outcome after `timeoutMs` (default 10,000) have failed. What the
   * spool has stays there, neither sent nor failed, and `size` counts it.
   */
  close(timeoutMs?: number): Promise<{ readonly sent: number; readonly failed: number }>;
}

/**
 * @param path the path of the call
 * @param send sends a batch; repeats it under one key until its outcome is known
 * @throws RangeError if an option is out of its range
 */
export function createQueue<T>(
  path: string,
  send: (batch: readonly T[], options: CallOptions) => Promise<unknown>,
  { sleep, newKey }: Pick<Surroundings, 'sleep' | 'newKey'>,
  options: QueueOptions<T> = {},
): Queue<T> {
  const { maxBatch = 1000, maxDelayMs = 1000, capacity = 10_000, onFailed = report } = options;
  checkLimits(maxBatch, maxDelayMs, capacity);
  const spool = options.spool?.open(path.split('/').at(-1)!);
  const waiting: Entry<T>[] = [];
  /** How many waiting items, from the first on, are to be sent now. */
  let due = 0;
  let onTheirWay = 0;
  let taken = 0;
  let sent = 0;
  let failed = 0;
  /** Items without an outcome at the end. They are in the spool. */
  let left = 0;
  let dropped = 0;
  let closed = false;
  let working = false;
  /** Resolves with the outcome of the batch that is on its way. */
  let batchEnd: Promise<void> = Promise.resolve();
  /** Ends the wait for more items. */
  let timer: AbortController | null = null;
  const closing = new AbortController();

  function sendDue(count: number): void {
    due = Math.max(due, count);
    if (due > 0 && !working) void work();
  }

  async function work(): Promise<void> {
    working = true;
    while (due > 0) {
      const batch = waiting.splice(0, Math.min(due, maxBatch));
      due -= batch.length;
      onTheirWay = batch.length;
      batchEnd = sendWhole(batch);
      await batchEnd;
    }
    onTheirWay = 0;
    working = false;
    if (waiting.length === 0) letGo(queue);
  }

  async function sendWhole(batch: readonly Entry<T>[]): Promise<void> {
    try {
      await send(itemsOf(batch), { maxRetries: Number.POSITIVE_INFINITY, signal: closing.signal });
      sent += batch.length;
      for (const entry of batch) settle(entry);
    } catch (error) {
      if (closing.signal.aborted && error === closing.signal.reason) return leave(error, batch);
      const { refused, others } = partsOf(batch, error);
      if (others.length === 0) return fail(error, batch);
      // The service took nothing of the batch.
      if (refused.length > 0) {
        fail(error, refused);
        return sendWhole(others);
      }
      const half = Math.ceil(others.length / 2);
      await sendWhole(others.slice(0, half));
      await sendWhole(others.slice(half));
    }
  }

  function fail(error: unknown, entries: readonly Entry<T>[]): void {
    const items = itemsOf(entries);
    failed += items.length;
    try {
      onFailed(error, items);
    } catch (thrown) {
      report(thrown, items);
    }
    for (const entry of entries) settle(entry, error);
  }

  function settle(entry: Entry<T>, error?: unknown): void {
    entry.kept?.release();
    entry.settle(error);
  }

  /** At the end of `close`: the spool has the items for the next start. What only the memory has, has failed. */
  function leave(error: unknown, entries: readonly Entry<T>[]): void {
    const lost = entries.filter((entry) => !isOnDisk(entry));
    if (lost.length > 0) fail(error, lost);
    const kept = entries.filter(isOnDisk);
    left += kept.length;
    for (const entry of kept) entry.settle(error);
  }

  function startTimer(): void {
    if (timer !== null) return;
    const started = new AbortController();
    timer = started;
    sleep(maxDelayMs, started.signal).then(
      () => {
        timer = null;
        sendDue(waiting.length);
      },
      () => {}, // stopped: `flush` sends
    );
  }

  function sendNow(): void {
    timer?.abort();
    timer = null;
    sendDue(waiting.length);
  }

  async function flush(): Promise<void> {
    sendNow();
    for (const goal = taken; sent + failed + left < goal; ) await batchEnd;
  }

  function put(item: T): Receipt {
    if (closed) throw new Error('the queue is closed');
    const copy = copyOfItem(item, amountOf(path));
    if (spool && path === EVENTS) (copy as CustomEvent).event_key ??= `spool ${newKey()}`;
    const isFull = waiting.length + onTheirWay >= capacity;
    const kept = isFull ? null : (spool?.keep(JSON.stringify(copy)) ?? null);
    if (isFull || (spool && kept === null)) {
      dropped++;
      return notTaken(new Error('the queue is full'));
    }
    const entry = entryOf(copy, kept);
    take(entry);
    return {
      taken: true,
      get sent() {
        sendNow();
        return entry.outcome();
      },
    };
  }

  function take(entry: Entry<T>): void {
    taken++;
    waiting.push(entry);
    if (!isOnDisk(entry)) hold(queue);
    if (waiting.length - due >= maxBatch) sendDue(due + maxBatch);
    else startTimer();
  }
  const queue: Queue<T> = {
    add: (item) => put(item).taken,
    put,
    get size() {
      return waiting.length + onTheirWay + left;
    },
    get dropped() {
      return dropped;
    },
    flush,
    async close(timeoutMs = 10_000) {
      closed = true;
      const flushed = new AbortController();
      void sleep(timeoutMs, flushed.signal).then(
        () => closing.abort(new Error(`the queue was closed, and ${timeoutMs} ms later items had no outcome`)),
        () => {}, // flushed in time
      );
      await flush();
      flushed.abort();
      spool?.close();
      letGo(queue);
      return { sent, failed };
    },
  };
  for (const kept of spool?.left ?? []) take(entryOf(JSON.parse(kept.text) as T, kept));
  return queue;
}

function checkLimits(maxBatch: number, maxDelayMs: number, capacity: number): void {
  if (!(Number.isInteger(maxBatch) && maxBatch >= 1 && maxBatch <= 1000))
    throw new RangeError('maxBatch must be an integer from 1 to 1000');
  checkMs('maxDelayMs', maxDelayMs, 0);
  if (!(capacity >= 1)) throw new RangeError('capacity must be 1 or more');
}

function copyOfItem<T>(item: T, amount: string | undefined): T {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    throw new TypeError('an item must be an object');
  return copyOf(item, amount) as T;
}

const isOnDisk = ({ kept }: Entry<unknown>): boolean => kept?.isOnDisk === true;

const itemsOf = <T>(entries: readonly Entry<T>[]): readonly T[] => entries.map(({ item }) => item);

/** Which entries of a failed batch have failed, and which to send again: without refused ones, in two parts. */
function partsOf<T>(batch: readonly T[], error: unknown): { refused: readonly T[]; others: readonly T[] } {
  const { status, details } = error as Partial<BotledgerError>;
  if (!(error instanceof InvalidRequestError)) return { refused: batch, others: [] };
  if (status === 413 && batch.length > 1) return { refused: [], others: batch };
  const named = new Set(details!.map(({ path }) => Number(/^\d+(?=\.|$)/.exec(path)?.[0] ?? Number.NaN)));
  const refused = batch.filter((_, index) => named.has(index));
  return refused.length === 0
    ? { refused: batch, others: [] }
    : { refused, others: batch.filter((_, i) => !named.has(i)) };
}

/** The usual `onFailed`. */
export function report(error: unknown, items: readonly unknown[]): void {
  console.error(`botledger: failed to send ${items.length} items`, error);
}

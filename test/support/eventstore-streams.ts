/**
 * The double's streams, in memory. An append follows the rules of the server's `IndexWriter.CheckCommit`
 * (EventStore/EventStore, src/EventStore.Core/Services/Storage/ReaderIndex), and its limit is `MaxAppendSize` (1 MiB by
 * default). Metadata is stored without effect. Soft deletion, scavenges, links, projections and users are left out.
 */
export interface ProposedEvent {
  readonly id: string;
  /** `type` and `content-type`, as the client sends them. */
  readonly metadata: ReadonlyMap<string, string>;
  readonly customMetadata: Uint8Array;
  readonly data: Uint8Array;
}

export interface RecordedEvent extends ProposedEvent {
  readonly stream: string;
  /** From 0. */
  readonly revision: number;
  /** Position in the order of all events. */
  readonly position: number;
  /** Ticks of 100 ns since 1970, as the server sends them. */
  readonly created: bigint;
}

export type Expected = number | 'no_stream' | 'any' | 'stream_exists';

export type Appended =
  | { readonly revision: number; readonly position: number }
  | { readonly current: number | null }
  | 'deleted'
  | 'too large';

/** The server's default. */
const MAX_APPEND_SIZE = 1024 * 1024;
/** An event's type when its stream is deleted forever. */
const STREAM_DELETED = '$streamDeleted';

export class Streams {
  readonly all: RecordedEvent[] = [];
  readonly #streams = new Map<string, RecordedEvent[]>();
  readonly #deleted = new Set<string>();
  #wake = new Set<() => void>();
  #position = 0;

  /** Null if the stream never existed. */
  read(stream: string): readonly RecordedEvent[] | 'deleted' | null {
    if (this.#deleted.has(stream)) return 'deleted';
    return this.#streams.get(stream) ?? null;
  }

  append(stream: string, expected: Expected, events: readonly ProposedEvent[]): Appended {
    const size = events.reduce((sum, { data, customMetadata }) => sum + data.length + customMetadata.length, 0);
    if (size > MAX_APPEND_SIZE) return 'too large';
    if (this.#deleted.has(stream)) return 'deleted';
    const there = this.#streams.get(stream) ?? [];
    const last = there.length - 1;
    const wrong = { current: last < 0 ? null : last };
    if (expected === 'stream_exists' && last < 0) return wrong;

    // The same events at the same revision are a repeat; with `any`, at any revision that the server still remembers.
    const from =
      typeof expected === 'number'
        ? expected + 1
        : expected === 'no_stream'
          ? 0
          : there.findIndex(({ id }) => id === events[0]?.id);
    if (from >= 0 && from <= last) {
      const repeated = events.every(({ id }, i) => there[from + i]?.id === id);
      if (repeated) return there[from + events.length - 1]!;
    }
    if (typeof expected === 'number' && expected !== last) return wrong;
    if (expected === 'no_stream' && last >= 0) return wrong;

    const created = BigInt(Date.now()) * 10_000n;
    const recorded = events.map((event, i) => this.#record(stream, last + 1 + i, created, event));
    this.#streams.set(stream, there);
    there.push(...recorded);
    for (const wake of this.#wake) wake();
    return recorded.at(-1)!;
  }

  /** Deletes the stream forever. Returns false if it was already deleted. */
  tombstone(stream: string): boolean {
    if (this.#deleted.has(stream)) return false;
    this.#deleted.add(stream);
    const metadata = new Map([
      ['type', STREAM_DELETED],
      ['content-type', 'application/octet-stream'],
    ]);
    const empty = new Uint8Array();
    const created = BigInt(Date.now()) * 10_000n;
    const tombstone = { id: crypto.randomUUID(), metadata, customMetadata: empty, data: empty };
    this.#record(stream, Number.MAX_SAFE_INTEGER, created, tombstone);
    for (const wake of this.#wake) wake();
    return true;
  }

  /** Resolves when an event is appended or the signal aborts. */
  async grown(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.#wake.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#wake.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  #record(stream: string, revision: number, created: bigint, event: ProposedEvent): RecordedEvent {
    const recorded = { ...event, stream, revision, created, position: this.#position };
    this.#position += 100 + event.data.length;
    this.all.push(recorded);
    return recorded;
  }
}

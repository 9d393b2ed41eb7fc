import { z } from 'zod';

/** An event as it stands in the log, before its data has been read. */
export interface StoredEvent {
  readonly type: string;
  readonly v: number;
  readonly data: unknown;
}

/** An event with its data checked and brought to the current shape. */
export interface DomainEvent<T extends string = string, D = unknown> {
  readonly type: T;
  readonly data: D;
}

/** Thrown when an event of the log cannot be read: an unknown type or version, or data of another shape. */
export class UnreadableEventError extends Error {
  override readonly name = 'UnreadableEventError';
}

/** One kind of event: its name in the past tense, its current version and shape, and how older shapes become it. */
export interface EventType<T extends string, D> {
  readonly type: T;
  readonly version: number;
  /** Checks the data on the way in and gives the event to append. @throws ZodError */
  create(data: D): StoredEvent;
  /** The event to append of data that was checked already, by rules under which `create` takes it as it is. */
  ofChecked(data: D): StoredEvent;
  /** Reads a stored event, upcasting an older version. @throws UnreadableEventError */
  read(event: StoredEvent): DomainEvent<T, D>;
}

/**
 * Declares an event type. `older[v]` is a zod schema that takes the data of version `v` and transforms it to the
 * current shape: zod is the upcaster.
 */
export function eventType<T extends string, D>(
  type: T,
  version: number,
  schema: z.ZodType<D>,
  older: Readonly<Record<number, z.ZodType<D>>> = {},
): EventType<T, D> {
  return {
    type,
    version,
    create: (data) => ({ type, v: version, data: schema.parse(data) }),
    ofChecked: (data) => ({ type, v: version, data }),
    read(event) {
      const reader = event.v === version ? schema : older[event.v];
      if (reader === undefined)
        throw new UnreadableEventError(`event ${type} of version ${event.v}: this service knows up to ${version}`);
      const result = reader.safeParse(event.data);
      if (!result.success)
        throw new UnreadableEventError(`event ${type} of version ${event.v}: ${z.prettifyError(result.error)}`);
      return { type, data: result.data };
    },
  };
}

/** The data of an event type. */
export type DataOf<E> = E extends EventType<string, infer D> ? D : never;
/** The event that an event type reads. */
export type EventOf<E> = E extends EventType<infer T, infer D> ? { readonly type: T; readonly data: D } : never;

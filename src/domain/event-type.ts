import { z } from 'zod';

/** An event as stored in the log; its data is not checked yet. */
export interface StoredEvent {
  readonly type: string;
  readonly v: number;
  readonly data: unknown;
}

/** An event whose data is checked and has the current shape. */
export interface DomainEvent<T extends string = string, D = unknown> {
  readonly type: T;
  readonly data: D;
}

/** An event of the log has an unknown type or version, or data of another shape. */
export class UnreadableEventError extends Error {
  override readonly name = 'UnreadableEventError';
}

/** A type of event: its name in the past tense, its current version and shape, and the upcasts of older shapes. */
export interface EventType<T extends string, D> {
  readonly type: T;
  readonly version: number;
  /** Checks the data and returns the event to append. @throws ZodError */
  create(data: D): StoredEvent;
  /** Returns the event to append, for data that was checked before by rules under which `create` accepts it unchanged. */
  ofChecked(data: D): StoredEvent;
  /** Reads a stored event, upcasting an older version. @throws UnreadableEventError */
  read(event: StoredEvent): DomainEvent<T, D>;
}

/**
 * Declares an event type. `older[v]` is a zod schema that parses the data of version `v` and transforms it to the current
 * shape.
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

import type { components, paths } from './schema.ts';

type PathsWith<M extends 'get' | 'post'> = {
  [P in keyof paths]: paths[P] extends Readonly<Record<M, unknown>> ? P : never;
}[keyof paths];

/** The paths of the service's GET calls. */
export type GetPath = PathsWith<'get'>;
/** The paths of the service's POST calls. */
export type PostPath = PathsWith<'post'>;

/** The paths that take events, and give a receipt if the call asks for one. */
export type ReceiptPath = {
  [P in PostPath]: 'receipt' extends keyof Answer<P, 'post'> ? P : never;
}[PostPath];

/** The query of a GET call. */
export type Query<P extends GetPath> = paths[P] extends { get: { query: infer Q } } ? Q : Record<string, never>;
/** The body of a POST call. */
export type Body<P extends PostPath> = paths[P] extends { post: { body: infer B } } ? B : never;
/** The whole answer of a call: `data` and the fields next to it. */
export type Answer<P extends keyof paths, M extends 'get' | 'post'> =
  paths[P] extends Readonly<Record<M, { answer: infer A }>> ? A : never;
/** The `data` of an answer; undefined where it has none. */
export type DataOf<A> = A extends { data: infer D } ? D : undefined;

/** The paths whose answers can be CSV. */
export type CsvPath = {
  [P in keyof paths]: paths[P] extends { get: { csv: true } } | { post: { csv: true } } ? P : never;
}[keyof paths];
/** The query or the body of such a path. */
export type CsvInput<P extends CsvPath> = P extends GetPath ? Query<P> : P extends PostPath ? Body<P> : never;

/** The paths of lists that have pages. */
export type PagedPath = {
  [P in GetPath]: Query<P> extends { limit?: number; offset?: number }
    ? 'offset' extends keyof Query<P>
      ? P
      : never
    : never;
}[GetPath];
/** An item of a list: the element of the one array in its data. */
export type Item<P extends PagedPath> = ElementOf<DataOf<Answer<P, 'get'>>>;
type ElementOf<D> = Extract<D[keyof D], readonly unknown[]>[number];

/** An event for `send-event`. */
export type CustomEvent = components['schemas']['CustomEvent'];
/** A completed goal for `send-target`. */
export type TargetEvent = components['schemas']['TargetEvent'];
/** An update of the platform with the moment of its receipt. */
export type ForwardedUpdate = components['schemas']['ForwardedUpdate'];

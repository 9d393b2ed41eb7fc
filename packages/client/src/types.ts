import type { components, paths } from './schema.ts';

type Method = 'get' | 'post';
type OperationOf<P extends keyof paths, M extends Method> = NonNullable<paths[P][M]>;
type PathsWith<M extends Method> = {
  [P in keyof paths]: [OperationOf<P, M>] extends [never] ? never : P;
}[keyof paths];

/** The paths of the service's GET calls. */
export type GetPath = PathsWith<'get'>;
/** The paths of the service's POST calls. */
export type PostPath = PathsWith<'post'>;

/** The query of a GET call. */
export type Query<P extends GetPath> =
  OperationOf<P, 'get'> extends { parameters: { query?: infer Q } }
    ? [NonNullable<Q>] extends [never]
      ? Record<string, never>
      : NonNullable<Q>
    : never;
/** The body of a POST call. */
export type Body<P extends PostPath> =
  OperationOf<P, 'post'> extends { requestBody: { content: { 'application/json': infer B } } } ? B : never;

type AnswerOf<O> = O extends { responses: { 200: { content: { 'application/json': infer A } } } } ? A : never;
/** The `data` of an answer; undefined where it has none. */
export type DataOf<A> = A extends { data: infer D } ? D : undefined;

/** The whole answer of a call: `data`, and what else stands beside it. */
export type Answer<P extends keyof paths, M extends Method> = AnswerOf<OperationOf<P, M>>;

/** The paths whose answers can be CSV. */
export type CsvPath = {
  [P in keyof paths]: 'text/csv' extends ContentOf<OperationOf<P, 'get'> | OperationOf<P, 'post'>> ? P : never;
}[keyof paths];
type ContentOf<O> = O extends { responses: { 200: { content: infer C } } } ? keyof C : never;
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
export type CustomEvent = components['schemas']['CustomEventInput'];
/** A completed goal for `send-target`. */
export type TargetEvent = components['schemas']['TargetEventInput'];
/** An update of the platform with the moment of its receipt. */
export type ForwardedUpdate = components['schemas']['ForwardedUpdateInput'];

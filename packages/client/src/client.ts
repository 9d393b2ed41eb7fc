import { type CallOptions, type ClientOptions, createCall, type ReceiptOptions, surroundingsOf } from './call.ts';
import { createExport, type ExportRows } from './export.ts';
import { CALLS, type Methods } from './methods.ts';
import { itemsOf } from './pages.ts';
import { EVENTS, UPDATES } from './paths.ts';
import { createQueue, type Queue, type QueueOptions } from './queue.ts';
import type {
  Answer,
  Body,
  CsvInput,
  CsvPath,
  CustomEvent,
  DataOf,
  ForwardedUpdate,
  GetPath,
  Item,
  PagedPath,
  PostPath,
  Query,
  ReceiptPath,
} from './types.ts';

/** The query of a call may be left out where it has no required field. */
export type QueryArguments<P extends GetPath> =
  Record<never, never> extends Query<P>
    ? [query?: Query<P>, options?: CallOptions]
    : [query: Query<P>, options?: CallOptions];

export interface Client extends Methods {
  /** Reads: gives the `data` of the answer. @throws BotledgerError */
  get<P extends GetPath>(path: P, ...rest: QueryArguments<P>): Promise<DataOf<Answer<P, 'get'>>>;
  /** Sends events: gives the receipt of the service; null: it keeps nothing of the request. @throws BotledgerError */
  post<P extends ReceiptPath>(path: P, body: Body<P>, options: ReceiptOptions): Promise<string | null>;
  /** Acts: gives the `data` of the answer. @throws BotledgerError */
  post<P extends PostPath>(path: P, body: Body<P>, options?: CallOptions): Promise<DataOf<Answer<P, 'post'>>>;
  /** The list or the report as CSV. @throws BotledgerError */
  csv<P extends CsvPath>(path: P, input: CsvInput<P>, options?: CallOptions): Promise<string>;
  /**
   * As `post`, but gives the whole answer, with the fields next to `data`, such as `lagging`. @throws BotledgerError
   */
  answer<P extends PostPath>(
    path: P,
    body: Body<P>,
    options?: CallOptions | ReceiptOptions,
  ): Promise<Answer<P, 'post'>>;
  /** Every item of a list, from page to page. Each page is a call. @throws BotledgerError */
  pages<P extends PagedPath>(path: P, ...rest: QueryArguments<P>): AsyncGenerator<Item<P>, void, undefined>;
  /**
   * The rows of an export, as they arrive, from one snapshot. An export that breaks off after its first row is not repeated.
   * @throws BotledgerError
   */
  readonly exportRows: ExportRows;
  /** A queue for `send-event`. */
  eventQueue(options?: QueueOptions<CustomEvent>): Queue<CustomEvent>;
  /** A queue for `send-batch-update`. */
  updateQueue(options?: QueueOptions<ForwardedUpdate>): Queue<ForwardedUpdate>;
}

/** The other lists that can be CSV are read by GET. */
const CSV_BY_POST: CsvPath = '/v1/reports/run';

/**
 * A client of one service and one key.
 * @throws TypeError if the address or a key is missing or cannot be sent
 * @throws RangeError if a limit is out of its range
 */
export function createClient(options: ClientOptions): Client {
  const surroundings = surroundingsOf(options);
  const call = createCall(options, surroundings);
  const dataOf = (answer: unknown): unknown => (answer as { readonly data?: unknown }).data;
  const read = async (path: string, query: object = {}, given?: CallOptions): Promise<unknown> =>
    dataOf(await call('GET', path, { query }, given));
  const act = (path: string, body: unknown, given?: CallOptions | ReceiptOptions) =>
    call('POST', path, { body }, given);
  const client = {
    get: read,
    post: async (path: string, body: unknown, given: CallOptions | ReceiptOptions = {}) => {
      const answer = await act(path, body, given);
      const isSigned = (given as Partial<ReceiptOptions>).receipt !== undefined;
      return isSigned ? (answer as { readonly receipt: string | null }).receipt : dataOf(answer);
    },
    answer: act,
    csv: (path: string, input: object, given?: CallOptions) => {
      const asked = { ...input, format: 'csv' };
      return path === CSV_BY_POST ? act(path, asked, given) : call('GET', path, { query: asked }, given);
    },
    pages: (path: string, query: object = {}, given?: CallOptions) =>
      itemsOf(query, async (page) => (await read(path, page, given)) as object),
    exportRows: createExport(call),
    eventQueue: (given?: QueueOptions<CustomEvent>) =>
      createQueue(EVENTS, (batch, each) => act(EVENTS, batch, each), surroundings, given),
    updateQueue: (given?: QueueOptions<ForwardedUpdate>) =>
      createQueue(UPDATES, (batch, each) => act(UPDATES, batch, each), surroundings, given),
  };
  return { ...client, ...methodsOf(client) } as Client;
}

/** The methods by their names: each calls `get` or `post`. */
function methodsOf({
  get,
  post,
}: Record<'get' | 'post', (path: string, input: never, options?: CallOptions) => unknown>): object {
  const methodOf = (call: string) => {
    const [method, path] = call.split(' ') as [string, string];
    return method === 'GET' ? get.bind(null, path) : post.bind(null, path);
  };
  const groupOf = (calls: Readonly<Record<string, string>>): object =>
    Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, methodOf(call)]));
  return Object.fromEntries(Object.entries(CALLS).map(([group, calls]) => [group, groupOf(calls)]));
}

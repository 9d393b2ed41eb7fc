import { noteFreshness } from './parts/freshness.ts';
import { endedElsewhere, type Session, session } from './session.ts';
import { texts } from './texts.ts';

/** A value of an answer. Numbers that a float would change are texts, with all their digits. */
export type Value = string | number | boolean | null;

/** A request that was refused, or had no answer. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  constructor(
    message: string,
    /** HTTP status; 0: no answer. */
    readonly status: number,
    readonly details: readonly Detail[] = [],
  ) {
    super(message);
  }
}

export interface Detail {
  readonly path: string;
  readonly message: string;
  readonly allowed?: readonly string[];
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: unknown;
  /** Public key of the bot. */
  readonly bot?: string | undefined;
  /** Of a change: the same key makes a repeat harmless. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

export interface Answer<T> {
  readonly data: T;
  /** Values that were accepted, but are probably mistakes. */
  readonly warnings?: readonly Detail[];
}

/** Sends a request and answers its `data`. @throws RequestError */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return (await answerTo<T>(path, options)).data;
}

async function answerTo<T>(path: string, options: RequestOptions): Promise<Answer<T>> {
  const { ok, status, blob, asOf } = await send(path, options);
  const body = read(await blob.text()) as Answer<T> | Refusal | null;
  if (!ok) throw refusal(path, status, body as Refusal | null);
  // A proxy's page is no answer of the service.
  if (body === null) throw new RequestError(texts.errors.noAnswer, 0);
  if (!('data' in body)) return { data: null as T };
  // The browser may have kept the body; the header is of now (docs/decisions.md#revalidation-as-of).
  if (asOf !== null) Object.assign(body.data as object, { data_as_of: asOf });
  noteFreshness(body.data);
  return body;
}

/** The last change, unless it was made for certain. */
let open = { content: '', key: '' };

/**
 * Sends a change. If no answer or an error comes, the same change sent again has the same Idempotency-Key, until another change
 * is sent: what was made is not made twice.
 * @param about what tells it from an earlier change with the same body
 * @throws RequestError
 */
export async function sendChange<T>(path: string, body: object, bot?: string, about?: unknown): Promise<Answer<T>> {
  const content = JSON.stringify([path, body, bot, about]);
  if (open.content !== content) open = { content, key: crypto.randomUUID() };
  const { key } = open;
  const answer = await answerTo<T>(path, { method: 'POST', body, bot, idempotencyKey: key });
  if (open.key === key) open = { content: '', key: '' };
  return answer;
}

/** Sends a request and answers its bytes, such as a PDF. @throws RequestError */
export async function requestBlob(path: string, options: RequestOptions): Promise<Blob> {
  const { ok, status, blob } = await send(path, options);
  if (ok) return blob;
  throw refusal(path, status, read(await blob.text()) as Refusal | null);
}

/** Sends a request and answers its text, such as CSV. @throws RequestError */
export async function requestText(path: string, options: RequestOptions): Promise<string> {
  return (await requestBlob(path, options)).text();
}

interface Refusal {
  readonly error: string;
  readonly details?: readonly Detail[];
}

const TOO_MANY = 429;
const LONGEST_WAIT_S = 2;
const MOST_WAITS = 10;

/** Other tabs, and reports of a page that was left, count too: a refusal for too many that ends soon is waited out. */
async function send(path: string, options: RequestOptions) {
  for (let waits = 0; ; waits++) {
    const { retryAfter, ...answer } = await sendOnce(path, options);
    if (answer.status !== TOO_MANY || !(retryAfter <= LONGEST_WAIT_S) || waits === MOST_WAITS) return answer;
    await new Promise((resolve) => setTimeout(resolve, retryAfter * 1000));
  }
}

async function sendOnce(path: string, { method = 'GET', body, bot, idempotencyKey, signal }: RequestOptions) {
  const headers = new Headers();
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (bot !== undefined) headers.set('resource-key', bot);
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
  try {
    const response = await fetch(path, {
      method,
      headers,
      credentials: 'same-origin',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const { ok, status, headers: found } = response;
    const retryAfter = Number(found.get('retry-after') ?? Number.NaN);
    return { ok, status, blob: await response.blob(), asOf: found.get('data-as-of'), retryAfter };
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    throw new RequestError(texts.errors.noAnswer, 0);
  }
}

export const SESSION = '/console/session';

function refusal(path: string, status: number, body: Refusal | null): RequestError {
  if (session.value && path === SESSION && status === 401) become(null);
  else if (session.value && (status === 401 || status === 403)) void lookAgain();
  return new RequestError(body?.error ?? texts.errors.status(status), status, body?.details);
}

/** Another tab may have logged in or out: finds out whose session the browser has now. */
async function lookAgain(): Promise<void> {
  try {
    const found = await request<Session>(SESSION);
    if (found.expires_at !== session.value?.expires_at) become(found);
  } catch (error) {
    // The refusal that led here is shown; a session that is over has been noted.
    if (!(error instanceof RequestError)) throw error;
  }
}

function become(found: Session | null): void {
  endedElsewhere.value = true;
  session.value = found;
}

function read(text: string): unknown {
  try {
    return JSON.parse(text, exactly);
  } catch {
    return null;
  }
}

/** Keeps the digits of a number that a float would change. */
function exactly(_key: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  return typeof value === 'number' && String(value) !== source ? source : value;
}

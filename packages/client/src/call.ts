import createFetchClient from 'openapi-fetch';
import { BotledgerError, ConnectionError, errorOf, ServerError } from './errors.ts';
import { bodyText, parseAnswer } from './json.ts';
import { sleep as realSleep, retriesAfter, type Sleep, waitMs } from './repeat.ts';
import { type OnRequest, reported } from './request-report.ts';

export interface ClientOptions {
  /** The address of the service, such as `https://botledger.example.org`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The bot, for a key of several bots: the public part of its key. */
  readonly resourceKey?: string;
  /** How often a call is repeated after a failure that may pass. Default 2. */
  readonly maxRetries?: number;
  /** How long to wait for the answer to one attempt. Default 30,000. */
  readonly timeoutMs?: number;
  readonly fetch?: (request: Request) => Promise<Response>;
  readonly sleep?: Sleep;
  /** A number from 0 up to 1. */
  readonly random?: () => number;
  /** Makes an Idempotency-Key. */
  readonly newKey?: () => string;
  /** Makes the request id of a call. */
  readonly newRequestId?: () => string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Gets each attempt of each call when it has ended, for logs, metrics and traces. */
  readonly onRequest?: OnRequest;
}

export interface CallOptions {
  /** The Idempotency-Key, 1 to 255 characters. Default: a new one for each call. */
  readonly idempotencyKey?: string;
  /** Ends the call, also its waits. */
  readonly signal?: AbortSignal;
  readonly maxRetries?: number;
  readonly timeoutMs?: number;
}

/** Asks for a receipt: a signed promise that the service keeps what it accepts (docs/proofs.md). */
export interface ReceiptOptions extends CallOptions {
  readonly receipt: 'signed';
}

/** Calls the service and gives the body of its answer; with `asStream` its ReadableStream, without limits of time. */
export type Call = (
  method: 'GET' | 'POST',
  path: string,
  input: Readonly<{ query?: object; body?: unknown; asStream?: true }>,
  options?: CallOptions | ReceiptOptions,
) => Promise<unknown>;

/** The surroundings of a client: time, randomness and keys. */
export interface Surroundings {
  readonly sleep: Sleep;
  readonly random: () => number;
  readonly newKey: () => string;
  readonly now: () => number;
}

export function surroundingsOf({
  sleep = realSleep,
  random = Math.random,
  newKey = () => crypto.randomUUID(),
  now = Date.now,
}: ClientOptions): Surroundings {
  return { sleep, random, newKey, now };
}

/** POST calls that change nothing, so they take no key and repeating them is harmless. */
const READING = /^\/v1\/(reports\/(preview|run|users)|broadcast\/(audience-size|conversions|preview))$/;
/** It sends a message each time and takes no key. */
const NEVER_TWICE = '/v1/broadcast/test-send';
/** A GET that makes something each time. */
const CREATING_GET = '/v1/referral/create-code';

/** Whether a call takes an Idempotency-Key. */
export function takesKey(method: 'GET' | 'POST', path: string): boolean {
  return method === 'GET' ? path === CREATING_GET : path !== NEVER_TWICE && !READING.test(path);
}

/** The service keeps a key for 24 hours. A call that takes longer ends before its key does. */
const KEY_LIFE_MS = 23 * 60 * 60_000;

/** A timer of the platform takes no longer time: it would end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** @throws RangeError */
export function checkMs(name: string, ms: number, least: 0 | 1): void {
  if (!(ms >= least && ms <= MAX_TIMER_MS)) throw new RangeError(`${name} must be from ${least} to ${MAX_TIMER_MS}`);
}

/** Without TypeScript, or from an environment without the variable, an option may have any value. */
function checkOptions({ baseUrl, apiKey, resourceKey = 'none', maxRetries = 0, timeoutMs = 1 }: ClientOptions): void {
  for (const [name, value] of Object.entries({ baseUrl, apiKey, resourceKey }))
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a text`);
  if (!/^https?:\/\//i.test(baseUrl)) throw new TypeError('baseUrl must begin with http:// or https://');
  if (!(maxRetries >= 0)) throw new RangeError('maxRetries must be 0 or more');
  checkMs('timeoutMs', timeoutMs, 1);
}

/** @throws TypeError if the address or a key is missing or cannot be sent @throws RangeError if a limit is out of its range */
export function createCall(options: ClientOptions, { sleep, random, newKey, now }: Surroundings): Call {
  checkOptions(options);
  const { baseUrl, apiKey, resourceKey, maxRetries: usualRetries = 2, timeoutMs: usualTimeoutMs = 30_000 } = options;
  const { onRequest, newRequestId = () => crypto.randomUUID() } = options;
  const headers: Record<string, string> = { 'api-key': apiKey, ...(resourceKey && { 'resource-key': resourceKey }) };
  // Refuses here what would otherwise look like a failed connection.
  new Request(new URL(baseUrl), { headers });
  const client = createFetchClient<Record<string, Record<never, never>>>({
    baseUrl,
    headers,
    // A redirect would send the key, and the body as a GET without one, to another address.
    redirect: 'manual',
    ...(options.fetch && { fetch: options.fetch }),
  });

  return async (method, path, { query, body, asStream = false }, call = {}) => {
    const { signal, maxRetries = usualRetries, timeoutMs = usualTimeoutMs, receipt } = call as Partial<ReceiptOptions>;
    const key = takesKey(method, path) ? (call.idempotencyKey ?? newKey()) : null;
    const requestId = newRequestId();
    const ofCall = new Headers({
      'x-request-id': requestId,
      ...(key !== null && { 'idempotency-key': key }),
      ...(receipt !== undefined && { receipt }),
    });
    const text = body === undefined ? undefined : bodyText(path, body);
    const startedAt = now();
    for (let attempt = 0; ; attempt++) {
      try {
        return await reported(onRequest, now, { method, path, attempt: attempt + 1, requestId }, attemptOnce);
      } catch (error) {
        if (!(error instanceof BotledgerError)) throw error;
        error.idempotencyKey = key;
        error.requestId = requestId;
        const wait = waitMs(attempt, error, random);
        const retries = retriesAfter(error, path !== NEVER_TWICE, maxRetries);
        if (attempt >= retries || now() + wait - startedAt > KEY_LIFE_MS) throw error;
        await sleep(wait, signal);
      }
    }

    async function attemptOnce(answered: (status: number) => void): Promise<unknown> {
      signal?.throwIfAborted();
      const ending = new AbortController();
      const leave = (): void => ending.abort();
      const timer = setTimeout(leave, timeoutMs);
      signal?.addEventListener('abort', leave, { once: true });
      const init = {
        params: { query },
        body: text,
        bodySerializer: (serialized: unknown) => serialized,
        headers: ofCall,
        parseAs: asStream ? 'stream' : 'text',
        signal: ending.signal,
      };
      try {
        const { data, error, response } = await client.request(method as never, path as never, init as never);
        answered(response.status);
        if (response.ok) return asStream ? response.body : answerOf(path, data, response);
        throw errorOf(response.status, error, response.headers, retryAfterMs(response.headers));
      } catch (cause) {
        if (cause instanceof BotledgerError) throw cause;
        signal?.throwIfAborted();
        const message = ending.signal.aborted ? `no answer within ${timeoutMs} ms` : 'the connection failed';
        throw new ConnectionError(message, { cause });
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
      }
    }
  };

  /** Seconds or a date (RFC 9110, 10.2.3). */
  function retryAfterMs(answered: Headers): number | undefined {
    const value = answered.get('retry-after');
    if (value === null) return undefined;
    const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now();
    return Number.isNaN(ms) ? undefined : Math.max(0, ms);
  }
}

function answerOf(path: string, text: string | undefined, response: Response): unknown {
  if (response.headers.get('content-type')?.startsWith('text/csv')) return text;
  let answer: unknown;
  try {
    answer = parseAnswer(path, text ?? '');
  } catch (cause) {
    throw new ServerError('the answer is no JSON', { status: response.status, cause });
  }
  if (Object(answer).ok !== true)
    throw new ServerError('the answer is not in the form of the service', { status: response.status });
  return answer;
}

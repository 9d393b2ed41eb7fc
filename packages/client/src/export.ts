import type { CallOptions, ClientOptions, Surroundings } from './call.ts';
import { BotledgerError, ConnectionError, errorOf, ServerError } from './errors.ts';
import { parseAnswer } from './json.ts';
import { retriesAfter, waitMs } from './repeat.ts';

export type ExportKind = 'events' | 'users' | 'accruals' | 'recipients';
/** Dates of the bot's time zone, the last one included. */
export interface ExportQuery {
  readonly from?: string;
  readonly to?: string;
}
/** A row, by the names of its columns. */
export type ExportRow = Readonly<Record<string, unknown>>;

export type ExportRows = (
  kind: ExportKind,
  query?: ExportQuery,
  options?: Pick<CallOptions, 'signal' | 'timeoutMs' | 'maxRetries'>,
) => AsyncGenerator<ExportRow, void, undefined>;

/** @param options of a client, which has checked them */
export function createExport(options: ClientOptions, { sleep, random }: Surroundings): ExportRows {
  const { baseUrl, apiKey, resourceKey, fetch: send = fetch } = options;
  const headers = { 'api-key': apiKey, ...(resourceKey && { 'resource-key': resourceKey }) };

  return async function* rows(kind, query, { signal, ...given } = {}) {
    const { timeoutMs = 30_000, maxRetries = 2 } = { ...options, ...given };
    const path = `/v1/export/${kind}`;
    const url = new URL(baseUrl.replace(/\/$/, '') + path);
    for (const [name, value] of Object.entries({ ...query, format: 'ndjson' }))
      if (value !== undefined) url.searchParams.set(name, value);
    const ending = new AbortController();
    const leave = (): void => ending.abort();
    signal?.addEventListener('abort', leave, { once: true });
    try {
      for await (const line of linesOf(await begun())) yield parseAnswer(path, line) as ExportRow;
    } catch (cause) {
      if (cause instanceof BotledgerError) throw cause;
      signal?.throwIfAborted();
      throw new ConnectionError('the export did not come to its end', { cause });
    } finally {
      signal?.removeEventListener('abort', leave);
      leave();
    }

    /** Repeats the request until rows come: it changes nothing. */
    async function begun(): Promise<Response> {
      for (let attempt = 0; ; attempt++) {
        signal?.throwIfAborted();
        try {
          return await attemptOnce();
        } catch (error) {
          if (!(error instanceof BotledgerError) || attempt >= retriesAfter(error, true, maxRetries)) throw error;
          await sleep(waitMs(attempt, error, random), signal);
        }
      }
    }

    async function attemptOnce(): Promise<Response> {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), timeoutMs);
      try {
        const either = AbortSignal.any([ending.signal, late.signal]);
        const response = await send(new Request(url, { headers, redirect: 'manual', signal: either }));
        if (response.ok) return response;
        throw await refusalOf(response);
      } catch (cause) {
        if (cause instanceof BotledgerError) throw cause;
        throw new ConnectionError(late.signal.aborted ? `no answer within ${timeoutMs} ms` : 'the connection failed', {
          cause,
        });
      } finally {
        clearTimeout(timer);
      }
    }
  };
}

async function refusalOf(response: Response): Promise<BotledgerError> {
  const text = await response.text();
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs = Number.isNaN(seconds) ? undefined : seconds * 1000;
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // The refusal of a proxy or a gateway may be any text.
  }
  return errorOf(response.status, body, response.headers, retryAfterMs);
}

/** @throws ServerError the last line has no end: something before the service has cut the answer */
async function* linesOf({ body, status }: Response): AsyncGenerator<string, void, undefined> {
  const reader = body!.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    const lines = (rest + decoder.decode(value, { stream: !done })).split('\n');
    rest = lines.pop()!;
    yield* lines;
    if (done) break;
  }
  if (rest !== '') throw new ServerError('the export is cut', { status });
}

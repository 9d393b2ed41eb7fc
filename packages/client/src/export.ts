import type { Call, CallOptions } from './call.ts';
import { BotledgerError, ConnectionError, ServerError } from './errors.ts';
import { parseAnswer } from './json.ts';

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

export function createExport(call: Call): ExportRows {
  return async function* rows(kind, query, options = {}) {
    const path = `/v1/export/${kind}`;
    const input = { query: { ...query, format: 'ndjson' }, asStream: true } as const;
    const body = (await call('GET', path, input, options)) as ReadableStream<Uint8Array>;
    for await (const line of linesOf(body, options.signal)) yield parseAnswer(path, line) as ExportRow;
  };
}

/**
 * @throws ConnectionError the stream broke off
 * @throws ServerError the last line has no end: something before the service has cut the answer
 */
async function* linesOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const leave = (): void => void reader.cancel().catch(() => {}); // it may have ended
  signal?.addEventListener('abort', leave, { once: true });
  let rest = '';
  try {
    for (let done = false; !done; ) {
      const part = await reader.read();
      signal?.throwIfAborted();
      done = part.done;
      const lines = (rest + decoder.decode(part.value, { stream: !done })).split('\n');
      rest = lines.pop()!;
      yield* lines;
    }
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof BotledgerError) throw cause;
    throw new ConnectionError('the export did not come to its end', { cause });
  } finally {
    signal?.removeEventListener('abort', leave);
    leave();
  }
  if (rest !== '') throw new ServerError('the export is cut', { status: 200 });
}

import { Agent, request } from 'undici';
import { inSpan } from '../../util/tracing.ts';
import { type GuardOptions, guardedConnector, NotConnectedError, RefusedAddressError } from './guarded-connector.ts';

/** The result of a call. */
export type CallResult =
  | { readonly type: 'answered'; readonly status: number; readonly retryAfter: string | undefined }
  /** The address is one that must not be called. */
  | { readonly type: 'refused'; readonly error: string }
  /** No answer. `sent`: the client may have received the call all the same; false: there was no connection. */
  | { readonly type: 'failed'; readonly sent: boolean; readonly error: string }
  /** The caller's signal aborted first: the result is unknown. */
  | { readonly type: 'interrupted' };

export interface WebhookClient {
  /** Makes one call; follows no redirect. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal): Promise<CallResult>;
  close(): Promise<void>;
}

export interface WebhookClientOptions extends GuardOptions {
  /** From the look-up of the host name to the answer's headers, and again for its body. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 20_000;
/** How much of an answer's body is read. Only the status counts; reading the body lets the connection be used again. */
const READ_BYTES = 16 * 1024;

export function createWebhookClient({ timeoutMs = TIMEOUT_MS, ...guard }: WebhookClientOptions): WebhookClient {
  const agent = new Agent({
    connect: guardedConnector(guard),
    // The signal below limits the time of a call.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const post: WebhookClient['post'] = async (url, headers, body, signal) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'botledger', ...headers },
        body,
        dispatcher: agent,
        signal: AbortSignal.any([signal, timeout]),
      });
      // If the body is long, slow or broken, the connection is closed; the result is the same.
      answer.body.dump({ limit: READ_BYTES, signal: AbortSignal.timeout(timeoutMs) }).catch(() => {});
      const retryAfter = answer.headers['retry-after'];
      return {
        type: 'answered',
        status: answer.statusCode,
        retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
      };
    } catch (error) {
      if (error instanceof RefusedAddressError) return { type: 'refused', error: error.message };
      if (signal.aborted) return { type: 'interrupted' };
      if (error instanceof NotConnectedError) return { type: 'failed', sent: false, error: problemOf(error.cause) };
      const problem = timeout.aborted ? `no answer within ${timeoutMs / 1000} s` : problemOf(error);
      return { type: 'failed', sent: true, error: problem };
    }
  };
  return { post: traced(post), close: () => agent.destroy() };
}

/** The path of the URL is left out of the span, since it may hold a secret. */
function traced(post: WebhookClient['post']): WebhookClient['post'] {
  return (url, ...call) => {
    // A URL that cannot be called is a failed call, of which `post` knows the reason.
    const address = URL.canParse(url) ? { 'server.address': new URL(url).hostname } : {};
    const attributes = { 'http.request.method': 'POST', ...address };
    return inSpan('POST webhook', { kind: 'client', attributes }, async (span) => {
      const result = await post(url, ...call);
      if (result.type !== 'answered') span.fail(result.type);
      else {
        span.set({ 'http.response.status_code': result.status });
        if (result.status >= 400) span.fail(String(result.status));
      }
      return result;
    });
  };
}

/** Short: the client knows its own addresses and certificates. */
function problemOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return `the call failed: ${code ?? message}`;
}

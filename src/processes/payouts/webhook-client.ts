import { Agent, request } from 'undici';
import { type GuardOptions, guardedConnector, NotConnectedError, RefusedAddressError } from './guarded-connector.ts';

/** What came of a call. */
export type CallResult =
  | { readonly type: 'answered'; readonly status: number; readonly retryAfter: string | undefined }
  /** The address is one that must not be called. */
  | { readonly type: 'refused'; readonly error: string }
  /** No answer. `sent`: the client may have got the call all the same; false: there was no connection. */
  | { readonly type: 'failed'; readonly sent: boolean; readonly error: string }
  /** The caller's signal aborted first: nothing is known. */
  | { readonly type: 'interrupted' };

export interface WebhookClient {
  /** One call, which follows no redirect. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal): Promise<CallResult>;
  close(): Promise<void>;
}

export interface WebhookClientOptions extends GuardOptions {
  /** From the look-up of the name to the answer's headers, and as long for its body. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 20_000;
/** What is read of an answer, whose status says all; only so that its connection may serve again. */
const READ_BYTES = 16 * 1024;

export function createWebhookClient({ timeoutMs = TIMEOUT_MS, ...guard }: WebhookClientOptions): WebhookClient {
  const agent = new Agent({
    connect: guardedConnector(guard),
    // The signal below is the one clock of a call.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    async post(url, headers, body, signal) {
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        const answer = await request(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'user-agent': 'botledger', ...headers },
          body,
          dispatcher: agent,
          signal: AbortSignal.any([signal, timeout]),
        });
        // What becomes of the body changes nothing: the connection is closed if it is long, slow or broken.
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
    },
    close: () => agent.destroy(),
  };
}

/** In a word: addresses and certificates are the client's own. */
function problemOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return `the call failed: ${code ?? message}`;
}

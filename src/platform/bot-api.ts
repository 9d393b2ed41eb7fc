import { Agent, type Dispatcher } from 'undici';
import type { Answer } from '../domain/broadcast/sending-answer.ts';
import { inSpan } from '../util/tracing.ts';

/** Calls the messaging platform's Bot API for all bots. Makes each call once and never repeats it. */
export interface BotApi {
  /** @param written called when writing the request begins; not called if that never happens */
  call(token: string, method: string, parameters: object, written?: () => void): Promise<Answer>;
  close(): Promise<void>;
}

export interface BotApiOptions {
  /** The variable TELEGRAM_API_ROOT. */
  readonly root: string;
  /** Most connections at once. Further calls wait. */
  readonly connections: number;
  readonly connectTimeoutMs?: number;
  readonly answerTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 5000;
const ANSWER_TIMEOUT_MS = 30_000;
/**
 * Shorter than the time servers keep idle connections, so that few calls use a connection that is just being closed.
 */
const KEEP_ALIVE_MS = 4000;
const MAX_ANSWER_BYTES = 1024 * 1024;

export function createBotApi(options: BotApiOptions): BotApi {
  const { root, connections, connectTimeoutMs, answerTimeoutMs = ANSWER_TIMEOUT_MS } = options;
  const { origin, hostname, pathname } = new URL(root);
  const base = pathname.replace(/\/$/, '');
  const agent = new Agent({
    connections,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    connect: { timeout: connectTimeoutMs ?? CONNECT_TIMEOUT_MS },
    // Off, since Undici's timers are coarse and restart with each piece of an answer.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  return {
    call(token, method, parameters, written) {
      const path = `${base}/bot${encodeURIComponent(token).replaceAll('%3A', ':')}/${method}`;
      const request = { origin, path, method: 'POST', headers, body: JSON.stringify(parameters) } as const;
      return inCallSpan(hostname, method, () => {
        return new Promise((resolve) => {
          agent.dispatch(request, answerHandler(answerTimeoutMs, resolve, written));
        });
      });
    },
    close: () => agent.destroy(),
  };
}

/** The path itself holds the token. */
function inCallSpan(host: string, method: string, call: () => Promise<Answer>): Promise<Answer> {
  const template = `/bot{token}/${method}`;
  const attributes = { 'http.request.method': 'POST', 'server.address': host, 'url.template': template };
  return inSpan(`POST ${template}`, { kind: 'client', attributes }, async (span) => {
    const answer = await call();
    if (answer.type !== 'answered') span.fail(answer.type);
    else {
      span.set({ 'http.response.status_code': answer.status });
      if (answer.status >= 400) span.fail(String(answer.status));
    }
    return answer;
  });
}

class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
}

function answerHandler(
  timeoutMs: number,
  resolve: (answer: Answer) => void,
  written?: () => void,
): Dispatcher.DispatchHandler {
  const chunks: Buffer[] = [];
  let size = 0;
  let status = 0;
  let begun = false;
  let timer: NodeJS.Timeout | undefined;
  const finish = (answer: Answer): void => {
    clearTimeout(timer);
    resolve(answer);
  };
  return {
    onRequestStart(controller) {
      begun = true;
      written?.();
      timer = setTimeout(() => controller.abort(new AnswerTimeoutError(`no answer within ${timeoutMs} ms`)), timeoutMs);
    },
    onResponseStart(_, statusCode) {
      status = statusCode;
    },
    onResponseData(controller, chunk) {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) controller.abort(new TooLargeError('the answer is too large'));
      else chunks.push(chunk);
    },
    onResponseEnd() {
      finish({ type: 'answered', status, body: Buffer.concat(chunks).toString() });
    },
    onResponseError(_, error) {
      finish({ type: begun && !wasNotWritten(error) ? 'unknown' : 'not_sent', problem: problemOf(error) });
    },
  };
}

class AnswerTimeoutError extends Error {
  override readonly name = 'AnswerTimeoutError';
}

/**
 * Whether the operating system refused to write the request. A request is written by one call. If that call fails, the
 * platform has received nothing, or an incomplete request that it cannot act on.
 */
function wasNotWritten(error: Error): boolean {
  const { syscall } = error as NodeJS.ErrnoException;
  return syscall === 'write' || syscall === 'writev';
}

/** Describes an error for the owner, without address and token. */
function problemOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof AnswerTimeoutError || error instanceof TooLargeError) return error.message;
  return code === undefined ? 'the connection failed' : `the connection failed: ${code}`;
}

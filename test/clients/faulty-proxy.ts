import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The failure of one request. */
export type Fault =
  /** The service carries the request out; its answer is lost: the connection ends, or is reset, or ends within the answer. */
  | 'lost answer'
  | 'reset after'
  | 'cut answer'
  /** The connection is reset before the service gets the request. */
  | 'reset before'
  /** The service carries the request out; its answer comes after `delayMs`. */
  | { readonly delayMs: number }
  /** The proxy answers. */
  | { readonly status: number; readonly error: string; readonly retryAfter?: string; readonly carriedOut?: true }
  /** The proxy answers with its own body. */
  | { readonly status: number; readonly body: string; readonly location?: string; readonly carriedOut?: true };

/** A request as it arrived at the proxy. */
interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  readonly requestId: string | null;
  readonly body: string;
  readonly at: number;
}

/** An HTTP proxy in front of the service that fails as a network does. */
export interface FaultyProxy {
  readonly url: string;
  /** Requests since the last `plan`. */
  readonly arrived: readonly Arrived[];
  /** The faults of the next requests, in order of arrival; undefined, and after the last one: none. */
  plan(...faults: readonly (Fault | undefined)[]): void;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export async function faultyProxy(service: string): Promise<FaultyProxy> {
  const agent = new Agent({ keepAlive: true });
  let arrived: Arrived[] = [];
  let planned: (Fault | undefined)[] = [];
  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing));

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await bytesOf(incoming);
    const { method = '', url = '', headers } = incoming;
    const key = (headers['idempotency-key'] as string | undefined) ?? null;
    const requestId = headers['x-request-id']?.toString() ?? null;
    arrived.push({ method, path: url, key, requestId, body: body.toString(), at: performance.now() });
    const fault = planned.shift();
    const { socket } = outgoing;
    if (fault === 'reset before') return void socket!.resetAndDestroy();
    if (typeof fault === 'object' && 'status' in fault && fault.carriedOut !== true)
      return send(outgoing, madeUp(fault));
    const answer = await forward(incoming, body);
    if (fault === 'lost answer') return void socket!.destroy();
    if (fault === 'reset after') return void socket!.resetAndDestroy();
    if (fault === 'cut answer') {
      outgoing.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body.length });
      outgoing.write(answer.body.subarray(0, answer.body.length / 2), () => socket!.destroy());
      return;
    }
    if (fault === undefined) return send(outgoing, answer);
    if ('status' in fault) return send(outgoing, madeUp(fault));
    setTimeout(() => send(outgoing, answer), fault.delayMs);
  }

  function forward({ method, url, headers }: IncomingMessage, body: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const onward = request(new URL(url!, service), { method: method!, headers, agent }, (response) => {
        bytesOf(response).then(
          (answered) => resolve({ status: response.statusCode!, headers: response.headers, body: answered }),
          reject,
        );
      });
      onward.once('error', reject);
      onward.end(body);
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get arrived() {
      return arrived;
    },
    plan(...faults) {
      arrived = [];
      planned = [...faults];
    },
    close: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function madeUp(fault: Extract<Fault, { status: number }>): Answer {
  const { status } = fault;
  const headers = { 'content-type': 'application/json' };
  if ('body' in fault) {
    const { body, location } = fault;
    return { status, headers: { ...headers, ...(location && { location }) }, body: Buffer.from(body) };
  }
  const { error, retryAfter } = fault;
  const body = Buffer.from(JSON.stringify({ ok: false, error, error_code: status }));
  return { status, headers: { ...headers, ...(retryAfter !== undefined && { 'retry-after': retryAfter }) }, body };
}

/** Sends an answer, unless the client has left. */
function send(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  outgoing.writeHead(status, headers).end(body);
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

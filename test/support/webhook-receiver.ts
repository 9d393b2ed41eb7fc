import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call that a client's server received. */
interface ReceivedCall {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly at: number;
}

type Answering = (call: ReceivedCall, response: ServerResponse) => void;

/** A client's server. It answers as the test sets it. */
export interface WebhookReceiver {
  readonly url: string;
  readonly calls: ReceivedCall[];
  /** Sets its answer to all later calls. */
  answers(how: number | Answering): void;
  close(): Promise<void>;
}

export async function webhookReceiver(): Promise<WebhookReceiver> {
  const calls: ReceivedCall[] = [];
  let answer: Answering = (_, response) => response.writeHead(200).end();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { url = '', headers } = request;
      const call = { path: url, headers, body: Buffer.concat(parts).toString(), at: performance.now() };
      calls.push(call);
      answer(call, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    calls,
    answers(how) {
      answer = typeof how === 'function' ? how : (_, response) => response.writeHead(how).end();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

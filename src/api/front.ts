import { createServer, type RequestListener } from 'node:http';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { type ApiError, answerMalformedHttp, handleErrors, unavailable } from './api-errors.ts';

export interface FrontOptions {
  readonly logger: Logger;
  readonly host: string;
  readonly port: number;
  /** The server or task that the start waits for now. Shown to any client. */
  readonly waitsFor: () => string;
}

/** The listening end of an instance. It answers from the start on; the app takes over once it is built. */
export interface Front {
  readonly address: string;
  /** Hands every later request to the app. */
  serve(app: FastifyInstance): Promise<void>;
  /** Answers the requests under way, then ends. */
  close(): Promise<void>;
}

/** Limit the time of a stalled client. Clients set their own timeouts for answers. */
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 72_000;

/** Listens at once: `/health` answers 200, `/ready` and all else 503 with the reason for the wait. */
export async function openFront({ logger, host, port, waitsFor }: FrontOptions): Promise<Front> {
  let app: FastifyInstance | null = null;
  const starting = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    clientErrorHandler: answerMalformedHttp,
    return503OnClosing: false,
    serverFactory(answerStarting) {
      const answer: RequestListener = (request, response) =>
        app === null ? answerStarting(request, response) : app.routing(request, response);
      return createServer({ requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS }, answer);
    },
  });
  handleErrors(starting);
  closeInOrder(starting);
  const notYet = (): ApiError => unavailable(`starting: waiting for ${waitsFor()}`);
  starting.get('/health', () => ({ ok: true }));
  // Refuses before a body is read, and before a missing body is noticed.
  starting.addHook('onRequest', async ({ routeOptions }) => {
    if (routeOptions.url !== '/health') throw notYet();
  });
  const address = await starting.listen({ host, port });
  let closed: Promise<void> | null = null;

  async function close(): Promise<void> {
    // Both at once: the app refuses requests that still arrive, and the front ends the connections.
    await Promise.all([app?.close(), starting.close()]);
  }

  return {
    address,
    async serve(given) {
      await given.ready();
      app = given;
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/** Requests that wait for the log are answered within MAX_WAIT_MS. Longer ones are cut off, so that a stop ends. */
const CUT_AFTER_MS = 10_000;

/**
 * While the server closes, requests under way get their answers, and new requests over open connections get 503. Each
 * connection ends with its next answer: kept alive, it would hold up the stop for as long as its client likes.
 */
export function closeInOrder(app: FastifyInstance): void {
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    const cut = setTimeout(() => app.server.closeAllConnections(), CUT_AFTER_MS);
    app.server.once('close', () => clearTimeout(cut));
    done();
  });
  app.addHook('onRequest', (_request, _reply, done) => done(closing ? unavailable('shutting down') : undefined));
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) void reply.header('connection', 'close');
    done(null, payload);
  });
}

import { createServer, type RequestListener } from 'node:http';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { closeInOrder } from './closing.ts';
import { answerMalformedHttp, handleErrors } from './error-handler.ts';
import { type ApiError, unavailable } from './errors.ts';

export interface FrontOptions {
  readonly logger: Logger;
  readonly host: string;
  readonly port: number;
  /** What the start waits for now: told to anyone. */
  readonly waitsFor: () => string;
}

/** The listening end of an instance. It answers from its first moment on; the app takes over when there is one. */
export interface Front {
  readonly address: string;
  /** Every request from now on is the app's. */
  serve(app: FastifyInstance): Promise<void>;
  /** Answers what is under way, and ends. */
  close(): Promise<void>;
}

/** Limit the time of a stalled client; clients set their own timeouts. */
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 72_000;

/** Listens at once: `/health` answers 200, `/ready` and all else 503 with what the start waits for. */
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
  // Before a body is read, or missed.
  starting.addHook('onRequest', async ({ routeOptions }) => {
    if (routeOptions.url !== '/health') throw notYet();
  });
  const address = await starting.listen({ host, port });
  let closed: Promise<void> | null = null;

  async function close(): Promise<void> {
    // Both at once: the app refuses what still arrives, and the front ends the connections.
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

import type { FastifyInstance } from 'fastify';
import { unavailable } from './errors.ts';

/** Requests that wait for the log are answered within MAX_WAIT_MS; what takes longer is cut off, so that a stop ends. */
const CUT_AFTER_MS = 10_000;

/**
 * A server that closes answers what is under way, and 503 to what still arrives over connections that are open. Each
 * connection ends with its next answer: kept alive, it would hold the stop up for as long as its client likes.
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

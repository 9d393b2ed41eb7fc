import { finished } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** A signal that aborts when the connection ends before the answer was sent. */
export function callerGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  // No error: the whole answer was sent.
  finished(reply.raw, (error) => {
    if (error) gone.abort();
  });
  return gone.signal;
}

import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Larger bodies get no ETag, since the digest of a body takes some 2 ms a megabyte. */
const MAX_BYTES = 1 << 20;

/**
 * An `onSend` hook for reads: gives a JSON answer an ETag, and answers 304 without a body if the client has that body
 * (decisions.md#revalidation; RFC 9110, 13.1.2). Streams, other media and answers with a `cache-control` stay as they are.
 */
export async function revalidate(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (reply.statusCode !== 200 || reply.hasHeader('cache-control')) return payload;
  if (!(typeof payload === 'string' || Buffer.isBuffer(payload)) || payload.length > MAX_BYTES) return payload;
  if (!String(reply.getHeader('content-type')).startsWith('application/json')) return payload;
  const tag = `"${createHash('sha256').update(payload).digest('base64url').slice(0, 22)}"`;
  void reply.headers({
    etag: tag,
    'cache-control': 'private, no-cache',
    vary: 'Api-Key, Authorization, Resource-Key, Cookie',
  });
  if (!names(request.headers['if-none-match'], tag)) return payload;
  void reply.code(304).removeHeader('content-type');
  return '';
}

/** Compares weakly: a proxy that compresses makes a tag weak. */
function names(given: string | undefined, tag: string): boolean {
  if (given === undefined) return false;
  return given.split(',').some((each) => [tag, `W/${tag}`, '*'].includes(each.trim()));
}

import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Has the `data_as_of` of an answer, also where a 304 has no body. */
const AS_OF = 'data-as-of';

/** Names an answer's `data_as_of` in a header (decisions.md#revalidation-as-of). */
export function nameAsOf(reply: FastifyReply, answer: unknown): void {
  const asOf = (answer as { readonly data?: { readonly data_as_of?: unknown } } | undefined)?.data?.data_as_of;
  if (typeof asOf === 'string') void reply.header(AS_OF, asOf);
}

/** Larger bodies get no ETag, since the digest of a body takes about 2 ms a megabyte. */
const MAX_BYTES = 1 << 20;

/**
 * An `onSend` hook for reads: gives a JSON answer an ETag, and answers 304 without a body if the client has that body
 * (decisions.md#revalidation; RFC 9110, 13.1.2). A route may give the ETag itself. Streams, other media and answers with a `cache-control` stay as they are.
 */
export async function revalidate(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (reply.statusCode !== 200 || reply.hasHeader('cache-control')) return payload;
  if (!(typeof payload === 'string' || Buffer.isBuffer(payload)) || payload.length > MAX_BYTES) return payload;
  if (!String(reply.getHeader('content-type')).startsWith('application/json')) return payload;
  const tag = String(reply.getHeader('etag') ?? tagOf(payload, reply.getHeader(AS_OF)));
  void reply.headers({
    etag: tag,
    'cache-control': 'private, no-cache',
    vary: 'Api-Key, Authorization, Resource-Key, Cookie',
  });
  if (!names(request.headers['if-none-match'], tag)) return payload;
  void reply.code(304).removeHeader('content-type');
  return '';
}

/** The digest of a body; weak, and without `data_as_of`, if the answer has one. */
export function tagOf(payload: string | Buffer, asOf?: unknown): string {
  const field = `"data_as_of":"${asOf}"`;
  const at = asOf === undefined ? -1 : payload.indexOf(field);
  const parts = at < 0 ? [payload] : [payload.slice(0, at), payload.slice(at + field.length)];
  const digest = parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('base64url');
  return `${at < 0 ? '' : 'W/'}"${digest.slice(0, 22)}"`;
}

/** Compares weakly: a proxy that compresses makes a tag weak. */
function names(given: string | undefined, tag: string): boolean {
  const opaque = (each: string): string => each.trim().replace(/^W\//, '');
  return given?.split(',').some((each) => [opaque(tag), '*'].includes(opaque(each))) ?? false;
}

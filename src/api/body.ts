import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';
import { parseJson } from './json.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it came; null where none was sent. */
    rawBody: Buffer | null;
    /** Whether the body may be long: only for who has shown a key already (decisions 2.4). */
    keyShown: boolean;
  }
}

/** The limit for bodies without a key in header or query, and for most routes with one. */
export const SMALL_BODY = 1 << 20;
export const LARGE_BODY = 16 << 20;

/**
 * Takes bodies as bytes, of any media type: what they say is only looked at once the key has been checked, since a wrong
 * body behind a missing key is a 401. Numbers must keep their digits, so the parser is ours (json.ts).
 */
export function takeRawBodies(app: FastifyInstance): void {
  app.decorateRequest('rawBody', null);
  app.decorateRequest('keyShown', false);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, payload, done) => {
    const limit = request.keyShown ? request.routeOptions.bodyLimit : SMALL_BODY;
    const chunks: Buffer[] = [];
    let size = 0;
    const tooLarge = (): void => {
      payload.removeAllListeners('data');
      payload.resume();
      done(new ApiError(413, `the body is larger than ${limit} bytes`));
    };
    if (Number(request.headers['content-length'] ?? 0) > limit) return tooLarge();
    payload.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) return tooLarge();
      chunks.push(chunk);
    });
    payload.on('end', () => {
      if (size > limit) return;
      request.rawBody = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      done(null, undefined);
    });
    payload.on('error', (error) => done(new ApiError(400, `the body could not be read: ${error.message}`)));
  });
}

/** What the body says, or the error that it is. Which of the two matters is decided after authentication. */
export type ParsedBody = { readonly value: unknown } | { readonly error: ApiError };

const JSON_MEDIA_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

export function parseBody(request: FastifyRequest): ParsedBody {
  const type = request.headers['content-type'];
  if (request.rawBody !== null && type !== undefined && !JSON_MEDIA_TYPE.test(type))
    return { error: new ApiError(415, 'the body must be sent with Content-Type: application/json') };
  if (request.rawBody === null || request.rawBody.length === 0)
    return { error: new ApiError(400, 'Body is not valid JSON: it is empty') };
  try {
    return { value: parseJson(request.rawBody) };
  } catch (error) {
    return { error: new ApiError(400, error instanceof Error ? error.message : 'Body is not valid JSON') };
  }
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from './api-errors.ts';
import { BodyPools, type BodyShare, PACE, watchPace } from './body-pool.ts';
import { BodyScan, type CutList } from './body-scan.ts';
import { parseInPieces } from './parse-in-pieces.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body's bytes as received; null if none was sent. */
    rawBody: Buffer | null;
    /** The reason to refuse the body unparsed, answered after authentication; null: none. */
    bodyProblem: ApiError | null;
    /** The body's long lists. They are parsed in pieces. */
    longLists: readonly CutList[];
    /** Whether the request has shown a key before its body: only then may the body be long (decisions.md#order-of-checks). */
    keyShown: boolean;
    /** Bytes of the body that are kept until the answer. */
    heldBytes: number;
  }
}

/** The limit for bodies without a key in header or query: an authentication is not yet known to succeed. */
const UNSHOWN_BODY = 64 << 10;
/** The limit for most routes, with a key in header or query. */
export const SMALL_BODY = 1 << 20;
export const LARGE_BODY = 16 << 20;
/** Its bodies have a separate pool, so that strangers cannot keep operators and owners out. */
export const LOGIN_URL = '/console/session';
/**
 * Takes bodies as bytes, of any media type. They are parsed only after the key has been checked, since a wrong body with a
 * missing key is a 401. Numbers must keep their digits, so the parser is our own (json.ts).
 */
export function takeRawBodies(app: FastifyInstance, pools = new BodyPools(), pace = PACE): void {
  app.decorateRequest('rawBody', null);
  app.decorateRequest('bodyProblem', null);
  app.decorateRequest('longLists');
  app.decorateRequest('keyShown', false);
  app.decorateRequest('heldBytes', 0);
  app.addHook('preParsing', (request, reply, payload, done) => {
    const share = shareOf(request);
    reply.raw.once('close', () => pools.release(share, request.heldBytes));
    done(null, payload);
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, payload, done) => {
    const limit = request.keyShown ? request.routeOptions.bodyLimit : UNSHOWN_BODY;
    const share = shareOf(request);
    const scan = new BodyScan();
    request.longLists = scan.lists;
    const chunks: Buffer[] = [];
    let size = 0;
    /** Why the body is not kept. Its rest is read and thrown away, so that the answer reaches its caller. */
    let refusal: ApiError | null = null;
    const refuse = (reason: ApiError): void => {
      refusal = reason;
      pools.release(share, request.heldBytes);
      request.heldBytes = 0;
      chunks.length = 0;
    };
    const answerNow = (error: ApiError): void => {
      refuse(error);
      payload.removeAllListeners('data').removeAllListeners('end');
      payload.resume();
      stop();
      done(error);
    };
    const tooLarge = () =>
      new ApiError(
        413,
        `the body is larger than ${limit} bytes${request.keyShown ? '' : ': with the key in a header or the query it may be larger'}`,
      );
    const stop = watchPace(pace, () => size, answerNow);
    payload.once('close', stop);
    if (Number(request.headers['content-length'] ?? 0) > limit) return answerNow(tooLarge());
    payload.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) return answerNow(tooLarge());
      if (refusal !== null) return;
      request.bodyProblem = scan.push(chunk);
      const reason = request.bodyProblem ?? pools.hold(share, chunk.length);
      if (reason !== null) return refuse(reason);
      request.heldBytes += chunk.length;
      chunks.push(chunk);
    });
    payload.on('end', () => {
      stop();
      if (request.bodyProblem !== null) return done(null, undefined);
      if (refusal !== null) return done(refusal);
      request.rawBody = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      done(null, undefined);
    });
    payload.on('error', (error) => {
      stop();
      done(new ApiError(400, `the body could not be read: ${error.message}`));
    });
  });
}

/** Pool and holder for a request: by its checked key, session or secret token, or by an unknown caller's address. */
function shareOf({ principal, operator, access, keyShown, routeOptions, ip }: FastifyRequest): BodyShare {
  if (principal !== null) return { pool: 'key', holder: `owner ${principal.ownerId}` };
  if (operator !== null) return { pool: 'key', holder: `operator ${operator.operatorId}` };
  if (access !== null && access.bot !== null) return { pool: 'platform', holder: access.bot.public_key };
  if (keyShown) return { pool: 'key', holder: `session from ${ip}` };
  return { pool: routeOptions.url === LOGIN_URL ? 'login' : 'stranger', holder: ip };
}

/** The parsed body, or the error to answer with. It is looked at only after authentication. */
export type ParsedBody = { readonly value: unknown } | { readonly error: ApiError };

const JSON_MEDIA_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

export async function parseBody(request: FastifyRequest): Promise<ParsedBody> {
  const { rawBody, bodyProblem, longLists } = request;
  const isGiven = rawBody !== null || bodyProblem !== null;
  const type = request.headers['content-type'];
  if (isGiven && type !== undefined && !JSON_MEDIA_TYPE.test(type))
    return { error: new ApiError(415, 'the body must be sent with Content-Type: application/json') };
  const encoding = request.headers['content-encoding'];
  if (isGiven && encoding !== undefined && !/^identity$/i.test(encoding))
    return { error: new ApiError(415, 'the body must not be compressed: no Content-Encoding is taken but identity') };
  if (bodyProblem !== null) return { error: bodyProblem };
  if (rawBody === null || rawBody.length === 0)
    return { error: new ApiError(400, 'Body is not valid JSON: it is empty') };
  try {
    return { value: await parseInPieces(rawBody, longLists) };
  } catch (error) {
    return { error: new ApiError(400, error instanceof Error ? error.message : 'Body is not valid JSON') };
  }
}

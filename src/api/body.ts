import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createBodyScan } from './body-scan.ts';
import { ApiError, unavailable } from './errors.ts';
import { JsonSyntaxError, parseJson } from './json.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body's bytes as received; null if none was sent. */
    rawBody: Buffer | null;
    /** The reason to refuse the body unparsed, which is said after authentication; null: none. */
    bodyProblem: ApiError | null;
    /** Positions in a list at which it is cut, so that no long list is parsed at once (body-scan.ts). */
    bodyCuts: readonly number[];
    /** Whether the request has shown a key before its body: only then may the body be long (decisions.md#order-of-checks). */
    keyShown: boolean;
    /** Bytes of the body that are kept until the answer. */
    heldBytes: number;
  }
}

/** The limit for bodies without a key in header or query: an authentication is not yet known to succeed. */
export const UNSHOWN_BODY = 64 << 10;
/** The limit for most routes, with a key in header or query. */
export const SMALL_BODY = 1 << 20;
export const LARGE_BODY = 16 << 20;
/**
 * Limit for the bodies of all requests that are not answered yet, in bytes received. While the log is down, 64 MiB of
 * parsed events that wait take some 600 MB. Without this limit, 400 connections took 1.4 GB. Requests that have shown no
 * key have a limit of their own, so that they cannot crowd out the others.
 */
const MAX_HELD_BYTES = 64 << 20;
const MAX_HELD_UNSHOWN_BYTES = 16 << 20;

/**
 * Takes bodies as bytes, of any media type. They are parsed only after the key has been checked, since a wrong body with a
 * missing key is a 401. Numbers must keep their digits, so the parser is our own (json.ts).
 */
export function takeRawBodies(app: FastifyInstance): void {
  app.decorateRequest('rawBody', null);
  app.decorateRequest('bodyProblem', null);
  app.decorateRequest('bodyCuts');
  app.decorateRequest('keyShown', false);
  app.decorateRequest('heldBytes', 0);
  const shown = { held: 0, max: MAX_HELD_BYTES };
  const unshown = { held: 0, max: MAX_HELD_UNSHOWN_BYTES };
  const shareOf = (request: FastifyRequest): typeof shown => (request.keyShown ? shown : unshown);
  app.addHook('preParsing', (request, reply, payload, done) => {
    const share = shareOf(request);
    reply.raw.once('close', () => {
      share.held -= request.heldBytes;
    });
    done(null, payload);
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, payload, done) => {
    const limit = request.keyShown ? request.routeOptions.bodyLimit : UNSHOWN_BODY;
    const share = shareOf(request);
    const hold = (bytes: number): void => {
      share.held += bytes;
      request.heldBytes += bytes;
    };
    let chunks: Buffer[] | null = [];
    let size = 0;
    const scan = createBodyScan();
    request.bodyCuts = scan.cuts;
    const tooLarge = (): void => {
      payload.removeAllListeners('data');
      payload.resume();
      done(new ApiError(413, `the body is larger than ${limit} bytes`));
    };
    if (Number(request.headers['content-length'] ?? 0) > limit) return tooLarge();
    payload.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) return tooLarge();
      if (chunks === null) return;
      request.bodyProblem = scan.push(chunk);
      if (request.bodyProblem !== null) {
        hold(-request.heldBytes);
        chunks = null;
        return;
      }
      chunks.push(chunk);
      hold(chunk.length);
      if (share.held <= share.max) return;
      // The limit is reached: the rest is read and thrown away, so that the answer reaches its caller.
      hold(-request.heldBytes);
      chunks = null;
    });
    payload.on('end', () => {
      if (size > limit) return;
      if (request.bodyProblem !== null) return done(null, undefined);
      if (chunks === null) return done(unavailable('too many requests are waiting, try again'));
      request.rawBody = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      done(null, undefined);
    });
    payload.on('error', (error) => done(new ApiError(400, `the body could not be read: ${error.message}`)));
  });
}

/** The parsed body, or the error to answer with. It is looked at only after authentication. */
export type ParsedBody = { readonly value: unknown } | { readonly error: ApiError };

const JSON_MEDIA_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/** Parses a long list in pieces, with a turn of the event loop between them. */
export async function parseBody(request: FastifyRequest): Promise<ParsedBody> {
  const { rawBody, bodyProblem, bodyCuts } = request;
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
    return { value: bodyCuts.length === 0 ? parseJson(rawBody) : await parseList(rawBody, bodyCuts) };
  } catch (error) {
    return { error: new ApiError(400, error instanceof Error ? error.message : 'Body is not valid JSON') };
  }
}

const BEGIN = Buffer.from('[');
const END = Buffer.from(']');

/** Each piece but the first lacks the list's opening, each but the last its end. @throws JsonSyntaxError */
async function parseList(bytes: Buffer, cuts: readonly number[]): Promise<unknown[]> {
  const list: unknown[] = [];
  for (let i = 0; i <= cuts.length; i++) {
    if (i > 0) await nextTurn();
    const first = i === 0 ? [] : [BEGIN];
    const last = i === cuts.length ? [] : [END];
    const piece = bytes.subarray(i === 0 ? 0 : cuts[i - 1]! + 1, cuts[i]);
    const parsed = parseJson(Buffer.concat([...first, piece, ...last])) as unknown[];
    // Between two commas there must be a value.
    if (parsed.length === 0) throw new JsonSyntaxError('Body is not valid JSON');
    for (const element of parsed) list.push(element);
  }
  return list;
}

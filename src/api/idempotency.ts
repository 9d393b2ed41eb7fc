import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { v5 } from 'uuid';
import type { Appended, CommandStamp } from '../log/port.ts';
import { principalOf } from './access.ts';
import { ApiError } from './errors.ts';

/** Names a command by owner, bot, route and the caller's key (decisions 1.6). Part of the data format: never changed. */
const NAMESPACE = '6f3b3b0e-6a0c-4d2e-9f0c-2f1f6d3a5b10';
const MAX_LENGTH = 255;

declare module 'fastify' {
  interface FastifyInstance {
    /** Command ids that this instance is working on. Across instances, the log itself decides who was first. */
    runningCommands: Set<string>;
  }
}

export function rememberRunningCommands(app: FastifyInstance): void {
  app.decorate('runningCommands', new Set<string>());
}

/**
 * Honours Idempotency-Key: the stamp goes into the same append as the events, so that a repeat is recognised after a
 * kill -9 and after the database was dropped. `work` appends with the stamp; when the log says that the command was
 * there before, the first answer is given again.
 * @throws ApiError 400 for a malformed key, 409 while the first is running, 422 for another body
 */
export function idempotently<T>(
  request: FastifyRequest,
  route: string,
  answer: T,
  work: (stamp: CommandStamp | undefined) => Promise<Pick<Appended, 'repeated'> | null>,
): Promise<T> {
  return underKey(
    request,
    route,
    (stamp) => work(stamp === undefined ? undefined : { ...stamp, answer }),
    async (appended) => (appended?.repeated?.command === undefined ? answer : (appended.repeated.command.answer as T)),
  );
}

/**
 * The same where the answer shows only once the commit has been read: `answerOf` makes it from what was appended, now or by
 * the commit that is repeated. Throws as {@link idempotently}.
 */
export async function underKey<A extends Pick<Appended, 'repeated'> | null, T>(
  request: FastifyRequest,
  route: string,
  work: (stamp: CommandStamp | undefined) => Promise<A>,
  answerOf: (appended: A) => Promise<T>,
): Promise<T> {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return answerOf(await work(undefined));
  if (typeof key !== 'string' || key.length < 1 || key.length > MAX_LENGTH)
    throw new ApiError(400, `Idempotency-Key must have 1 to ${MAX_LENGTH} characters`);
  const principal = principalOf(request);
  const bot = request.access?.bot ?? null;
  const id = v5(JSON.stringify([principal.ownerId, bot?.public_key ?? null, route, key]), NAMESPACE);
  const bodyHash = hash('sha256', contentOf(request), 'base64url');
  const running = request.server.runningCommands;
  if (running.has(id)) throw new ApiError(409, 'a request with this Idempotency-Key is being worked on', [], 1);
  running.add(id);
  try {
    const appended = await work({ id, bodyHash });
    const first = appended?.repeated?.command;
    if (first !== undefined && first.bodyHash !== bodyHash)
      throw new ApiError(422, 'this Idempotency-Key was used with another body');
    return await answerOf(appended);
  } finally {
    running.delete(id);
  }
}

/** What a request says, as it came: of a GET the query string stands for the body (decisions 5.1). */
function contentOf({ method, url, rawBody }: FastifyRequest): string | Buffer {
  if (method !== 'GET') return rawBody ?? '';
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}

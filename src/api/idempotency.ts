import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { v5 } from 'uuid';
import type { CommandContext } from '../commands/decide-and-append.ts';
import { intakeStream } from '../domain/streams.ts';
import type { Appended, CommandStamp, Position, RecordedCommit } from '../log/port.ts';
import { botOf, principalOf } from './access.ts';
import { ApiError } from './api-errors.ts';
import type { WaitForChange } from './wait-for-change.ts';

/**
 * Names a command by owner, bot, route and the caller's key (decisions.md#idempotency-key). Part of the data format:
 * never changed.
 */
const NAMESPACE = '6f3b3b0e-6a0c-4d2e-9f0c-2f1f6d3a5b10';
const MAX_LENGTH = 255;

/** Commands with an Idempotency-Key. */
interface Commands {
  /** Ids of the commands that this instance is working on. Across instances the log decides which one is first. */
  readonly running: Set<string>;
  /** The commit that holds the command. Its stream has the same key as this one. */
  find(stream: string, id: string): Promise<RecordedCommit | null>;
}

declare module 'fastify' {
  interface FastifyInstance {
    commands: Commands;
  }
}

export function rememberCommands(app: FastifyInstance, { log, sources }: CommandContext): void {
  app.decorate('commands', {
    running: new Set<string>(),
    find: (stream, id) => log.findCommand(stream, id, sources.now()),
  });
}

/** The result of a command. A reader that has passed the position sees it. */
type Outcome = Pick<Appended, 'repeated'> & { readonly position?: Position | undefined };

/**
 * Honours Idempotency-Key. The stamp is appended with the events, so a repeat is recognised even after a kill -9 and after
 * the database was dropped. `work` checks the request and appends with the stamp. A repeat gets the first answer again,
 * even if the checks would fail by now.
 * @param waitForChange waits until the next request sees the change
 * @throws ApiError 400 for a malformed key, 409 while the first is running, 422 for another body
 */
export function idempotently<T>(
  request: FastifyRequest,
  route: string,
  answer: T,
  work: (stamp: CommandStamp | undefined) => Promise<Outcome | null>,
  waitForChange?: WaitForChange,
): Promise<T> {
  return underKey<Outcome | null, T>(
    request,
    route,
    async (stamp, first) =>
      first === null
        ? work(stamp === undefined ? undefined : { ...stamp, answer })
        : { position: first.position, repeated: first },
    async (outcome) => {
      await waitForChange?.(request, outcome?.position);
      return outcome?.repeated?.command === undefined ? answer : (outcome.repeated.command.answer as T);
    },
  );
}

/** The owner or the operator whose Idempotency-Keys they are. */
function callerOf(request: FastifyRequest): number | string {
  return request.operator === null ? principalOf(request).ownerId : `operator ${request.operator.operatorId}`;
}

/**
 * As {@link idempotently}, for answers that need the commit's result: `answerOf` makes the answer from the result of
 * `work`, for this request or for the commit that it repeats. If that commit is known beforehand, `work` gets it as
 * `first` and makes no checks. Throws as {@link idempotently}.
 * @param streamOf the stream of a command that is not about the bot of the request, by the command's id
 */
export async function underKey<A extends Pick<Appended, 'repeated'> | null, T>(
  request: FastifyRequest,
  route: string,
  work: (stamp: CommandStamp | undefined, first: RecordedCommit | null) => Promise<A>,
  answerOf: (done: A) => Promise<T>,
  streamOf?: (commandId: string) => string,
): Promise<T> {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return answerOf(await work(undefined, null));
  if (typeof key !== 'string' || key.length < 1 || key.length > MAX_LENGTH)
    throw new ApiError(400, `Idempotency-Key must have 1 to ${MAX_LENGTH} characters`);
  const bot = streamOf === undefined ? botOf(request).public_key : null;
  const id = v5(JSON.stringify([callerOf(request), bot, route, key]), NAMESPACE);
  const bodyHash = hash('sha256', contentOf(request), 'base64url');
  const refuseAnother = (repeated: RecordedCommit | null | undefined): void => {
    if (repeated?.command !== undefined && repeated.command.bodyHash !== bodyHash)
      throw new ApiError(422, 'this Idempotency-Key was used with another body');
  };
  const { running, find } = request.server.commands;
  if (running.has(id)) throw new ApiError(409, 'a request with this Idempotency-Key is being worked on', [], 1);
  running.add(id);
  try {
    const first = await find(bot === null ? streamOf!(id) : intakeStream(bot), id);
    refuseAnother(first);
    const done = await work({ id, bodyHash }, first);
    // Another instance may have appended the command in between.
    refuseAnother(done?.repeated);
    return await answerOf(done);
  } finally {
    running.delete(id);
  }
}

/** The content that identifies a request: its body, or the query string of a GET (decisions.md#referral-codes). */
function contentOf({ method, url, rawBody }: FastifyRequest): string | Buffer {
  if (method !== 'GET') return rawBody ?? '';
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}

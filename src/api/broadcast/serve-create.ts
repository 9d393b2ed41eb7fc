import type { FastifyRequest } from 'fastify';
import { type CreateBroadcast, createBroadcast } from '../../commands/broadcast/create-broadcast.ts';
import { messagesOf } from '../../domain/broadcast/broadcast.ts';
import { DEFAULT_SETTINGS } from '../../domain/broadcast/settings.ts';
import type { Problem } from '../../domain/problem.ts';
import { type JsonObject, property } from '../../domain/storable-json.ts';
import { botOf } from '../access.ts';
import { invalid } from '../api-errors.ts';
import { type AnyRoute, route } from '../route.ts';
import { type BroadcastChanges, type Checked, changed, contentContext, readinessFor } from './broadcast-context.ts';
import { EMPTY_SEGMENTATIONS, objectOf, parseContent, parseType } from './content.ts';
import { contentWarnings } from './content-warnings.ts';
import { changeAnswer, createBody } from './schemas.ts';

/** POST /v1/broadcast/create: creates a draft. With `activate` it also launches the broadcast, in the same append. */
export function create(changes: BroadcastChanges): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/broadcast/create',
    operationId: 'createBroadcast',
    summary: 'Create a broadcast; with activate also launch it',
    tag: 'Broadcasts',
    access: { resource: 'required', premium: true },
    body: createBody,
    check: objectOf,
    answer: changeAnswer,
    idempotent: true,
    exact: true,
    async handle({ request, body }) {
      return changed(
        changes,
        request,
        { route: 'create', id: null },
        () => checked(changes, request, body),
        (command, meta) => createBroadcast(changes.context, command, meta),
      );
    },
  });
}

/** @throws ApiError 400 */
async function checked(
  changes: BroadcastChanges,
  request: FastifyRequest,
  body: JsonObject,
): Promise<Checked<CreateBroadcast>> {
  const { public_key, owner_id } = botOf(request);
  const problems: Problem[] = [];
  const activate = parseActivate(body, problems);
  const type = parseType(body, problems);
  // Without a type, do not check the message and the variants: their fields depend on the type.
  const checkable = type === undefined ? { ...body, message: null, variants: null } : body;
  const context = await contentContext(changes, request, body, { type: type ?? 'sendMessage', id: null });
  const given = parseContent(checkable, context, problems);
  if (type === undefined || problems.length > 0) throw invalid(problems);
  const content = {
    name: given.name ?? null,
    message: given.message ?? {},
    ...(given.variants === undefined ? {} : { variants: given.variants }),
    segmentations: given.segmentations ?? EMPTY_SEGMENTATIONS,
    settings: given.settings ?? DEFAULT_SETTINGS,
    date_send: given.date_send ?? null,
  };
  const ready = activate ? await readinessFor(changes, request, [content.segmentations], true) : null;
  const names = { ids: changes.ids.broadcast, bot: public_key, ownerId: owner_id };
  return {
    command: { ...names, type, content, activate: ready },
    warnings: await contentWarnings(changes, request, messagesOf(content), content.date_send),
  };
}

function parseActivate(body: JsonObject, problems: Problem[]): boolean {
  const given = property(body, 'activate') ?? false;
  if (typeof given !== 'boolean') problems.push({ path: 'activate', message: 'must be true or false' });
  return given === true;
}

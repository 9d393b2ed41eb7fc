import type { FastifyRequest } from 'fastify';
import { activateBroadcast, cancelBroadcast } from '../../commands/broadcast/activation.ts';
import { saveBroadcast } from '../../commands/broadcast/change-broadcast.ts';
import { type Broadcast, type BroadcastContent, isLaunchable, messagesOf } from '../../domain/broadcast/broadcast.ts';
import { Status } from '../../domain/broadcast/broadcast-status.ts';
import type { Problem } from '../../domain/problem.ts';
import { type JsonObject, property } from '../../domain/storable-json.ts';
import { botOf } from '../access.ts';
import { invalid } from '../api-errors.ts';
import { type AnyRoute, route } from '../route.ts';
import {
  type BroadcastChanges,
  type Checked,
  changed,
  contentContext,
  namedBroadcast,
  readinessFor,
} from './broadcast-context.ts';
import { idOf, objectOf, parseContent, parseType } from './content.ts';
import { contentWarnings } from './content-warnings.ts';
import { broadcastBody, changeAnswer, saveBody } from './schemas.ts';

const shared = {
  method: 'POST',
  tag: 'Broadcasts',
  access: { resource: 'required', premium: true },
  answer: changeAnswer,
  idempotent: true,
  exact: true,
} as const;

/** POST /v1/broadcast/save: changes a draft; any other broadcast is answered unchanged. */
export function save(changes: BroadcastChanges): AnyRoute {
  return route({
    ...shared,
    url: '/v1/broadcast/save',
    operationId: 'saveBroadcast',
    summary: 'Change a draft; any other status is answered unchanged',
    body: saveBody,
    check: objectOf,
    async handle({ request, body }) {
      return changed(
        changes,
        request,
        { route: 'save', id: idOf(body, 'id') },
        () => edited(changes, request, body),
        ({ name, content }, meta) => saveBroadcast(changes.context, name, content, meta),
      );
    },
  });
}

/** POST /v1/broadcast/activate: saves the given fields and launches; after a stop or an error the broadcast resumes. */
export function activate(changes: BroadcastChanges): AnyRoute {
  return route({
    ...shared,
    url: '/v1/broadcast/activate',
    operationId: 'activateBroadcast',
    summary:
      'Save the given fields and launch. A stopped or failed broadcast continues with recipients not yet attempted',
    body: saveBody,
    check: objectOf,
    async handle({ request, body }) {
      return changed(
        changes,
        request,
        { route: 'activate', id: idOf(body, 'id') },
        async () => {
          const { command, warnings } = await edited(changes, request, body);
          const { name, content, broadcast } = command;
          const audiences = [broadcast.segmentations, content.segmentations].filter((text) => text !== undefined);
          const ready = await readinessFor(changes, request, audiences, false);
          return { command: { ...name, ownerId: botOf(request).owner_id, changes: content, ready }, warnings };
        },
        (command, meta) => activateBroadcast(changes.context, command, meta),
      );
    },
  });
}

/** POST /v1/broadcast/cancel. */
export function cancel(changes: BroadcastChanges): AnyRoute {
  return route({
    ...shared,
    url: '/v1/broadcast/cancel',
    operationId: 'cancelBroadcast',
    summary: 'Stop a broadcast; one that was not picked up yet becomes a draft again',
    body: broadcastBody,
    check: (body) => ({ id: idOf(body, 'id') }),
    async handle({ request, body: { id } }) {
      const { public_key: bot, owner_id: ownerId } = botOf(request);
      return changed(
        changes,
        request,
        { route: 'cancel', id },
        async () => ({ command: { bot, id, ownerId }, warnings: [] }),
        (command, meta) => cancelBroadcast(changes.context, command, meta),
      );
    },
  });
}

interface Edited {
  readonly name: { readonly bot: string; readonly id: number };
  /** The broadcast before the change. */
  readonly broadcast: Broadcast;
  readonly content: BroadcastContent;
}

/** @throws ApiError 400; Rejection not_found */
async function edited(changes: BroadcastChanges, request: FastifyRequest, body: JsonObject): Promise<Checked<Edited>> {
  const id = idOf(body, 'id');
  const broadcast = await namedBroadcast(changes, request, id);
  const problems: Problem[] = [];
  // The type of any other broadcast does not change.
  const given = property(body, 'type') === undefined ? undefined : parseType(body, problems);
  const type = broadcast.status === Status.draft ? (given ?? broadcast.type) : broadcast.type;
  const content = {
    ...parseContent(body, await contentContext(changes, request, body, { type, id }), problems),
    ...(type === broadcast.type ? {} : { type }),
  };
  if (problems.length > 0) throw invalid(problems);
  const { status, date_send } = broadcast;
  // The date of any other broadcast is neither saved nor used.
  const date = content.date_send === undefined ? date_send : content.date_send;
  const messages = isLaunchable(broadcast) ? messagesOf(content) : [];
  const warnings = await contentWarnings(changes, request, messages, status === Status.draft ? date : null);
  return { command: { name: { bot: botOf(request).public_key, id }, broadcast, content }, warnings };
}

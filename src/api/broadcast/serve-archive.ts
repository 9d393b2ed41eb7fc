import { archiveBroadcast, deleteBroadcast } from '../../commands/broadcast/change-broadcast.ts';
import { botOf, principalOf } from '../access.ts';
import { idempotently } from '../idempotency.ts';
import { type AnyRoute, route } from '../route.ts';
import { type BroadcastChanges, changed } from './broadcast-context.ts';
import { archiveBody, broadcastBody, changeAnswer, deletedAnswer } from './schemas.ts';

const shared = {
  method: 'POST',
  tag: 'Broadcasts',
  access: { resource: 'required', premium: true },
  idempotent: true,
  errors: [409],
} as const;

/** POST /v1/broadcast/archive (decisions.md#broadcast-archive): 409 while it is scheduled or being sent. */
export function archive(changes: BroadcastChanges): AnyRoute {
  return route({
    ...shared,
    url: '/v1/broadcast/archive',
    operationId: 'archiveBroadcast',
    summary: 'Put a broadcast into the archive, or take it out',
    body: archiveBody,
    answer: changeAnswer,
    exact: true,
    async handle({ request, body: { id, archived: given } }) {
      const { public_key: bot } = botOf(request);
      const archived = given ?? true;
      return changed(
        changes,
        request,
        { route: 'archive', id },
        async () => ({ command: { bot, id, archived }, warnings: [] }),
        (command, meta) => archiveBroadcast(changes.context, command, meta),
      );
    },
  });
}

/**
 * POST /v1/broadcast/delete (decisions.md#broadcast-deletion): 409 if it is not a draft. A second deletion is a 404, but a
 * repeat with the same Idempotency-Key is not.
 */
export function remove({ context, waitForChange }: BroadcastChanges): AnyRoute {
  return route({
    ...shared,
    url: '/v1/broadcast/delete',
    operationId: 'deleteBroadcast',
    summary: 'Delete a draft',
    body: broadcastBody,
    answer: deletedAnswer,
    async handle({ request, body: { id } }) {
      const name = { bot: botOf(request).public_key, id };
      const { keyId } = principalOf(request);
      return idempotently(
        request,
        'broadcast/delete',
        { ok: true, data: { id } },
        (command) => deleteBroadcast(context, name, command === undefined ? { keyId } : { keyId, command }),
        waitForChange,
      );
    },
  });
}

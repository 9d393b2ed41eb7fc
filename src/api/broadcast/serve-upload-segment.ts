import { uploadSegment as upload, uploadAgain } from '../../commands/broadcast/upload-segment.ts';
import type { Problem } from '../../domain/problem.ts';
import { property, safeInteger } from '../../domain/storable-json.ts';
import { sortedDistinct } from '../../util/sorted-distinct.ts';
import { botOf, principalOf } from '../access.ts';
import { invalid } from '../api-errors.ts';
import { LARGE_BODY } from '../body.ts';
import { underKey } from '../idempotency.ts';
import { type AnyRoute, route } from '../route.ts';
import { type BroadcastChanges, namedBroadcast } from './broadcast-context.ts';
import { idOf, objectOf } from './content.ts';
import { segmentAnswer, segmentBody } from './schemas.ts';

/** POST /v1/broadcast/upload-segment: a list of chats for one draft. The draft's audience may name it. */
export function uploadSegment(changes: BroadcastChanges): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/broadcast/upload-segment',
    operationId: 'uploadSegment',
    summary: 'Upload a list of chats for a draft, to be named in its audience as a custom segment',
    tag: 'Broadcasts',
    access: { resource: 'required', premium: true },
    body: segmentBody,
    check: (body) => ({ task_id: idOf(body, 'task_id'), chat_ids: property(objectOf(body), 'chat_ids') }),
    bodyLimit: LARGE_BODY,
    answer: segmentAnswer,
    idempotent: true,
    async handle({ request, body: { task_id, chat_ids } }) {
      const { public_key: bot } = botOf(request);
      const { keyId } = principalOf(request);
      return underKey(
        request,
        'broadcast/upload-segment',
        async (command, first) => {
          const name = { bot, id: task_id };
          if (first === null) await namedBroadcast(changes, request, task_id, 'task_id');
          const given = parseChats(chat_ids);
          const chats = await sortedDistinct(given);
          const uploaded =
            first === null
              ? await upload(changes.context, changes.ids.segment, name, chats, { keyId, command })
              : await uploadAgain(changes.context, name, chats, first);
          return { ...uploaded, count_list: chats.length, duplicates: given.length - chats.length };
        },
        async ({ segmentId: segment_id, position, count_list, duplicates }) => {
          await changes.waitForChange(request, position);
          return { ok: true, data: { segment_id, count_list, duplicates } };
        },
      );
    },
  });
}

/** @throws ApiError 400 */
function parseChats(input: unknown): number[] {
  const path = 'chat_ids';
  if (input === undefined) throw invalid([{ path, message: 'chat_ids is required' }]);
  if (!Array.isArray(input) || input.length === 0)
    throw invalid([{ path, message: 'must be an array of ids, at least one' }]);
  const problems: Problem[] = [];
  const chats = input.map((value: unknown, index) => {
    const id = safeInteger(value);
    if (id === undefined || id === 0) problems.push({ path: `${path}.${index}`, message: 'must be an integer but 0' });
    return id ?? 0;
  });
  if (problems.length > 0) throw invalid(problems);
  return chats;
}

import type { CommandContext } from '../../commands/decide-and-append.ts';
import { deleteSavedSegment } from '../../commands/saved-segments/saved-segments.ts';
import type { Problem } from '../../domain/problem.ts';
import type { CommandStamp } from '../../log/port.ts';
import { botOf, principalOf } from '../access.ts';
import { objectOf } from '../broadcast/content.ts';
import { invalid } from '../errors.ts';
import { idempotently } from '../idempotency.ts';
import { type AnyRoute, route } from '../route.ts';
import type { WaitForChange } from '../wait-for-change.ts';
import { access, idIn } from './reads.ts';
import { deleteBody, savedAnswer } from './schemas.ts';

/** POST /v1/saved-segments/delete. A second deletion is a 404, but a repeat with the same Idempotency-Key is not. */
export function remove(context: CommandContext, waitForChange: WaitForChange): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/saved-segments/delete',
    operationId: 'deleteSavedSegment',
    summary: 'Delete a saved segment',
    tag: 'Saved segments',
    access,
    body: deleteBody,
    check: objectOf,
    answer: savedAnswer,
    idempotent: true,
    async handle({ request, body }) {
      const problems: Problem[] = [];
      const savedSegmentId = idIn(body, problems);
      if (savedSegmentId === undefined) throw invalid(problems);
      const { public_key: bot } = botOf(request);
      const { keyId } = principalOf(request);
      const answer = { ok: true as const, data: { saved_segment_id: savedSegmentId } };
      const work = (stamp: CommandStamp | undefined) =>
        deleteSavedSegment(context, { bot, savedSegmentId }, { keyId, command: stamp });
      return idempotently(request, 'saved-segments/delete', answer, work, waitForChange);
    },
  });
}

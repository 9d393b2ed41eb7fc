import { existingDraft, segmentOf, uploadFrozenSegment } from '../../commands/broadcast/upload-segment.ts';
import type { Problem } from '../../domain/problem.ts';
import { property } from '../../domain/storable-json.ts';
import { withoutErased } from '../../queries/reports/user-tables.ts';
import { botOf, principalOf } from '../access.ts';
import { invalid } from '../api-errors.ts';
import { underKey } from '../idempotency.ts';
import type { FindUsersOfCell } from '../reports/answer-report.ts';
import type { FindReportSources } from '../reports/find-report.ts';
import { checkNamed, namedReport } from '../reports/run.ts';
import { type AnyRoute, route } from '../route.ts';
import type { BroadcastChanges } from './broadcast-context.ts';
import { idOf, objectOf } from './content.ts';
import { type SegmentFromReport, segmentFromReportAnswer, segmentFromReportBody } from './schemas.ts';

/** The part of the answer that the events of the commit lack. The commit keeps it for the answer to a repeat. */
interface Answered {
  readonly data_as_of: string;
}

/** POST /v1/broadcast/segment-from-report (decisions.md#segment-from-report): the users of a report's cell, for one draft. */
export function segmentFromReport(
  changes: BroadcastChanges,
  find: FindUsersOfCell,
  sources: FindReportSources,
): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/broadcast/segment-from-report',
    operationId: 'createSegmentFromReport',
    summary: 'Freeze the users behind a number of a report as a list, for the audience of a draft',
    tag: 'Broadcasts',
    access: { resource: 'required', premium: true },
    body: segmentFromReportBody,
    check: checkBody,
    answer: segmentFromReportAnswer,
    idempotent: true,
    errors: [502],
    async handle({ request, reply, body }) {
      const { public_key: bot, bot_id } = botOf(request);
      const { keyId } = principalOf(request);
      const name = { bot, id: body.task_id };
      return underKey(
        request,
        'broadcast/segment-from-report',
        async (stamp, first) => {
          if (first !== null) return { position: first.position, repeated: first, done: null };
          await existingDraft(changes.context, name);
          const question = await namedReport(request, body, sources);
          const { ids, data_as_of } = await find(reply, { ...question, cell: body.cell });
          const chats = await withoutErased(await changes.db.at('users'), bot_id, ids);
          if (chats.length === 0) throw invalid([{ path: 'cell', message: 'no users are behind this number' }]);
          const answer: Answered = { data_as_of };
          const command = stamp === undefined ? stamp : { ...stamp, answer };
          const uploaded = await uploadFrozenSegment(changes.context, changes.ids.segment, name, chats, {
            keyId,
            command,
          });
          return { ...uploaded, done: { segment_id: uploaded.segmentId, count: chats.length, data_as_of } };
        },
        async ({ position, repeated, done }) => {
          await changes.waitForChange(request, position);
          if (repeated === null) return { ok: true, data: done };
          const { segment_id, count } = segmentOf(repeated);
          return { ok: true, data: { segment_id, count, ...(repeated.command?.answer as Answered) } };
        },
      );
    },
  });
}

/** @throws ApiError 400 */
function checkBody(body: unknown): SegmentFromReport {
  const given = objectOf(body);
  const task_id = idOf(body, 'task_id');
  const problems: Problem[] = [];
  const named = checkNamed(given, problems);
  if (problems.length > 0) throw invalid(problems);
  return { task_id, ...named, cell: property(given, 'cell') };
}

import type { CommandContext } from '../../commands/decide-and-append.ts';
import { deleteSavedSegment } from '../../commands/saved-segments/save-segment.ts';
import { savedSegmentIdsOf } from '../../domain/broadcast/audience-segmentations.ts';
import { Status } from '../../domain/broadcast/broadcast-status.ts';
import type { Problem, Warning } from '../../domain/problem.ts';
import type { EventLog } from '../../log/port.ts';
import type { Reader } from '../../projections/reader.ts';
import { manifestOf } from '../../projections/registry.ts';
import { servedProgress, waitForReadModels } from '../../projections/runtime/wait-for-read-models.ts';
import { openAudiences } from '../../queries/broadcast/broadcasts.ts';
import type { BotRow } from '../../queries/catalog/bots.ts';
import { botOf, principalOf } from '../access.ts';
import { ApiError, invalid } from '../api-errors.ts';
import { objectOf } from '../broadcast/content.ts';
import { underKey } from '../idempotency.ts';
import { type AnyRoute, route } from '../route.ts';
import type { WaitForChange } from '../wait-for-change.ts';
import { access, idIn } from './reads.ts';
import { deleteAnswer, deleteBody } from './schemas.ts';

interface Deleted {
  readonly ok: true;
  readonly data: { readonly saved_segment_id: number };
  readonly warnings?: readonly Warning[];
}

/**
 * POST /v1/saved-segments/delete (decisions.md#saved-segment-deletion). A second deletion is a 404, but a repeat with the same
 * Idempotency-Key is not.
 */
export function remove(context: CommandContext, db: Reader, waitForChange: WaitForChange): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/saved-segments/delete',
    operationId: 'deleteSavedSegment',
    summary: 'Delete a saved segment, unless a scheduled broadcast uses it',
    tag: 'Saved segments',
    access,
    body: deleteBody,
    check: objectOf,
    answer: deleteAnswer,
    idempotent: true,
    async handle({ request, body }) {
      const problems: Problem[] = [];
      const savedSegmentId = idIn(body, problems);
      if (savedSegmentId === undefined) throw invalid(problems);
      const { public_key: bot } = botOf(request);
      const { keyId } = principalOf(request);
      return underKey(
        request,
        'saved-segments/delete',
        async (stamp, first) => {
          if (first !== null) return { position: first.position, repeated: first, answer: null };
          const warnings = await usesOf(context.log, db, botOf(request), savedSegmentId);
          const told = warnings.length === 0 ? {} : { warnings };
          const answer: Deleted = { ok: true, data: { saved_segment_id: savedSegmentId }, ...told };
          const command = stamp && { ...stamp, answer };
          return { ...(await deleteSavedSegment(context, { bot, savedSegmentId }, { keyId, command })), answer };
        },
        async ({ position, repeated, answer }) => {
          await waitForChange(request, position);
          return (repeated?.command?.answer as Deleted | undefined) ?? answer!;
        },
      );
    },
  });
}

/** How long the broadcasts' read model may take to have the earlier launches. */
const WAIT_MS = 2000;

/** Warnings of the drafts that use a saved segment. @throws ApiError 409 a scheduled broadcast does */
async function usesOf(log: EventLog, db: Reader, bot: BotRow, savedSegmentId: number): Promise<Warning[]> {
  const end = await log.endCursor();
  await waitForReadModels([servedProgress(db.pool, manifestOf('broadcasts'))], end, {
    timeoutMs: WAIT_MS,
    wake: ['broadcasts'],
    bot: bot.public_key,
  });
  const open = await openAudiences(await db.at('broadcasts'), bot.bot_id);
  const using = open.filter(({ segmentations }) => savedSegmentIdsOf(segmentations).includes(savedSegmentId));
  const path = 'saved_segment_id';
  const scheduled = using.filter(({ status }) => status === Status.scheduled);
  if (scheduled.length > 0) {
    const details = scheduled.map(({ id }) => ({ path, message: `broadcast ${id} is scheduled with it` }));
    throw new ApiError(409, 'a scheduled broadcast uses this saved segment', details.slice(0, 100));
  }
  return using.slice(0, 100).map(({ id }) => {
    return { path, message: `draft ${id} uses it, and cannot be activated without a change` };
  });
}

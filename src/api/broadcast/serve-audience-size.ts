import type { FastifyRequest } from 'fastify';
import type pg from 'pg';
import type { z } from 'zod';
import { type Segmentations, taskIdsOf } from '../../domain/broadcast/audience.ts';
import { parseSegmentations } from '../../domain/broadcast/audience-segmentations.ts';
import { activationProblems } from '../../domain/broadcast/readiness.ts';
import type { Problem } from '../../domain/problem.ts';
import { type JsonObject, property, safeInteger } from '../../domain/storable-json.ts';
import { audienceSize as countAudience } from '../../queries/broadcast/audience-size.ts';
import { botOf } from '../access.ts';
import { failedCount, invalid } from '../api-errors.ts';
import { callerGone } from '../caller-gone.ts';
import { dataAsOf } from '../data-as-of.ts';
import { type AnyRoute, route } from '../route.ts';
import { type BroadcastChanges, contentContext, namedBroadcast, ownTasks } from './broadcast-context.ts';
import { audienceSizeAnswer, audienceSizeBody, DEFAULT_SAMPLE, MAX_SAMPLE } from './composing-schemas.ts';
import { idOf, objectOf } from './content.ts';

const TIMEOUT_MS = 5000;

/**
 * POST /v1/broadcast/audience-size (decisions.md#audience-size): how many chats an audience has now, and some of them.
 * @param counts connections only for counts
 */
export function audienceSize(changes: BroadcastChanges, counts: pg.Pool): AnyRoute {
  const { context, db } = changes;
  const { log, sources } = context;
  const asOf = dataAsOf(db.pool, log, sources);
  return route({
    method: 'POST',
    url: '/v1/broadcast/audience-size',
    operationId: 'countAudience',
    summary: 'How many chats an audience has now, with some of them; a launch resolves it again',
    tag: 'Broadcasts',
    access: { resource: 'required', premium: true },
    body: audienceSizeBody as z.ZodType<JsonObject>,
    check: objectOf,
    answer: audienceSizeAnswer,
    errors: [502],
    async handle({ request, reply, body }) {
      const { bot_id: botId } = botOf(request);
      const { segmentations, sample } = await checked(changes, request, body);
      const signal = callerGone(reply);
      const { pool, ...tables } = await db.at('users', 'events', 'referral', 'broadcasts', 'recipients');
      const data_as_of = await asOf(Object.values(tables), botOf(request));
      const question = { botId, tables, asOf: sources.now(), sample, timeoutMs: TIMEOUT_MS, signal };
      try {
        const size = await countAudience(counts, pool, segmentations, question);
        return { ok: true, data: { ...size, data_as_of } };
      } catch (error) {
        throw failedCount(error, signal, 'counting the audience');
      }
    },
  });
}

/** @throws ApiError 400; Rejection not_found */
async function checked(
  changes: BroadcastChanges,
  request: FastifyRequest,
  body: JsonObject,
): Promise<{ readonly segmentations: Segmentations; readonly sample: number }> {
  const { timezone } = botOf(request);
  const id = property(body, 'task_id') === undefined ? null : idOf(body, 'task_id');
  if (id !== null) await namedBroadcast(changes, request, id, 'task_id');
  const problems: Problem[] = [];
  const given = property(body, 'sample');
  const sample = given === undefined ? DEFAULT_SAMPLE : safeInteger(given);
  if (sample === undefined || sample < 0 || sample > MAX_SAMPLE)
    problems.push({ path: 'sample', message: `must be an integer from 0 to ${MAX_SAMPLE}` });
  const { segmentIds, taskIds, savedSegments } = await contentContext(
    changes,
    request,
    { segmentations: body['segmentations'] },
    { type: 'sendMessage', id },
  );
  const options = { timezone, path: 'segmentations', problems, segmentIds, taskIds, savedSegments };
  const segmentations = parseSegmentations(property(body, 'segmentations'), options);
  if (problems.length > 0) throw invalid(problems);
  const tasks = await ownTasks(changes, request, taskIdsOf(segmentations));
  const unfit = activationProblems(segmentations, { path: 'segmentations', broadcastId: id, tasks });
  if (unfit.length > 0) throw invalid(unfit);
  return { segmentations, sample: sample! };
}

import type { FastifyRequest } from 'fastify';
import { type BroadcastChange, existingBroadcast, repeatedChange } from '../../commands/broadcast/change.ts';
import { existingBot } from '../../commands/existing-bot.ts';
import type { CommandContext, CommandMeta } from '../../commands/handle.ts';
import type { IdPool } from '../../commands/reserve-ids.ts';
import { taskIdsOf } from '../../domain/broadcast/audience.ts';
import { storedSegmentations } from '../../domain/broadcast/audience-segmentations.ts';
import type { Broadcast, Readiness } from '../../domain/broadcast/broadcast.ts';
import { QUOTA_EXHAUSTED } from '../../domain/broadcast/quota.ts';
import { NotReady, readiness } from '../../domain/broadcast/readiness.ts';
import { MAX_CAP, MAX_PAID_CAP } from '../../domain/broadcast/settings.ts';
import { type JsonObject, property } from '../../domain/json.ts';
import { Rejection } from '../../domain/rejection.ts';
import { segmentIdsOf, taskSourcesOf } from '../../queries/broadcast/audience-sources.ts';
import {
  type BroadcastStatistics,
  type BroadcastsSource,
  findBroadcast,
  NO_STATISTICS,
} from '../../queries/broadcast/broadcasts.ts';
import { botOf, principalOf } from '../access.ts';
import { ApiError, invalid } from '../errors.ts';
import { underKey } from '../idempotency.ts';
import type { Settle } from '../settle.ts';
import type { ContentContext } from './content.ts';
import { broadcastObject } from './object.ts';

/** What the methods that change a broadcast work with. */
export interface BroadcastChanges {
  readonly context: CommandContext;
  readonly ids: Readonly<Record<'broadcast' | 'segment', IdPool>>;
  readonly source: () => Promise<BroadcastsSource>;
  readonly settle: Settle;
}

/** The broadcast that a request names, as the log has it. @throws Rejection not_found */
export function namedBroadcast(
  { context }: BroadcastChanges,
  request: FastifyRequest,
  id: number,
  key: 'id' | 'task_id' = 'id',
): Promise<Broadcast> {
  return existingBroadcast(context.log, { bot: botOf(request).public_key, id }, key);
}

/** What the content of a broadcast is checked against, as far as the body has any. @param id null: it is a new one */
export async function contentContext(
  { context, source }: BroadcastChanges,
  request: FastifyRequest,
  body: JsonObject,
  { type, id }: { readonly type: Broadcast['type']; readonly id: number | null },
): Promise<ContentContext> {
  const { public_key, timezone } = botOf(request);
  let maxCap = MAX_CAP;
  if (property(body, 'settings') !== undefined) {
    const { paid_broadcasts } = await existingBot(context.log, public_key);
    if (paid_broadcasts) maxCap = MAX_PAID_CAP;
  }
  let segmentIds: ReadonlySet<number> = new Set();
  if (id !== null && property(body, 'segmentations') !== undefined) {
    const { pool, broadcasts: schema } = await source();
    segmentIds = await segmentIdsOf({ pool, schema }, id);
  }
  return { type, timezone, segmentIds, maxCap };
}

/** @param audiences the segmentations that the broadcast may have when it is activated */
export async function readinessFor(
  { source }: BroadcastChanges,
  request: FastifyRequest,
  audiences: readonly string[],
  isNew: boolean,
): Promise<Readiness> {
  const { timezone, owner_id: ownerId } = botOf(request);
  const ids = audiences.flatMap((text) => taskIdsOf(storedSegmentations(text, timezone)));
  const { pool, broadcasts: schema } = await source();
  const tasks = await taskSourcesOf({ pool, schema }, ids);
  return readiness({ timezone, ownerId, isNew, tasks });
}

/** What a repeat is answered with: all that its commit does not have. */
interface Answered {
  readonly timezone: string;
  readonly statistics: BroadcastStatistics;
}

/**
 * Changes a broadcast, once for each Idempotency-Key, and answers it as it is then. @param id null: it is a new one
 * @param work checks what is asked for, and appends
 */
export async function changed(
  { context, source, settle }: BroadcastChanges,
  request: FastifyRequest,
  { route, id }: { readonly route: string; readonly id: number | null },
  work: (meta: CommandMeta) => Promise<BroadcastChange>,
): Promise<object> {
  const { bot_id, timezone } = botOf(request);
  const { keyId } = principalOf(request);
  return underKey(
    request,
    `broadcast/${route}`,
    async (stamp, first) => {
      if (first !== null) return { ...(await repeatedChange(context.log, first)), answered: null };
      const found = id === null ? null : await findBroadcast(await source(), bot_id, id);
      const answered: Answered = { timezone, statistics: found?.statistics ?? NO_STATISTICS };
      const command = stamp === undefined ? stamp : { ...stamp, answer: answered };
      const change = await work({ keyId, command }).catch((error: unknown) => {
        throw toApiError(error);
      });
      return { ...change, answered };
    },
    async ({ broadcast, position, repeated, answered }) => {
      await settle(request, position);
      const { statistics, timezone } = (repeated?.command?.answer as Answered | undefined) ?? answered!;
      return { ok: true, data: broadcastObject(broadcast, statistics, timezone) };
    },
  );
}

/** The refusals that have an answer of their own. */
function toApiError(error: unknown): unknown {
  if (error instanceof NotReady) return invalid(error.problems);
  if (error instanceof Rejection && error.message === QUOTA_EXHAUSTED) return new ApiError(403, QUOTA_EXHAUSTED);
  return error;
}

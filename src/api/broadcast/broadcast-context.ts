import type { FastifyRequest } from 'fastify';
import { taskSources, uploadedSegments } from '../../commands/broadcast/audience-sources.ts';
import { type BroadcastChange, existingBroadcast, repeatedChange } from '../../commands/broadcast/change-broadcast.ts';
import { existingBot } from '../../commands/catalog/change-bot.ts';
import type { CommandContext, CommandMeta } from '../../commands/decide-and-append.ts';
import type { IdPool } from '../../commands/reserve-ids.ts';
import { segmentIdsOf, taskIdsOf } from '../../domain/broadcast/audience.ts';
import {
  MAX_SAVED_SEGMENTS,
  MAX_SEGMENTS,
  parseSegmentations,
  savedSegmentIdsIn,
  savedSegmentIdsOf,
  storedSegmentations,
} from '../../domain/broadcast/audience-segmentations.ts';
import { type Broadcast, isOver, type Readiness } from '../../domain/broadcast/broadcast.ts';
import { Status } from '../../domain/broadcast/broadcast-status.ts';
import { QUOTA_EXHAUSTED } from '../../domain/broadcast/quota.ts';
import { NotReady, readiness, type TaskSource } from '../../domain/broadcast/readiness.ts';
import { MAX_CAP, MAX_PAID_CAP } from '../../domain/broadcast/settings.ts';
import { localTimeOf } from '../../domain/local-time.ts';
import type { Warning } from '../../domain/problem.ts';
import { Rejection } from '../../domain/rejection.ts';
import { type JsonObject, property } from '../../domain/storable-json.ts';
import type { EventLog } from '../../log/port.ts';
import type { Reader } from '../../projections/reader.ts';
import { type BroadcastStatistics, findStatistics, NO_STATISTICS } from '../../queries/broadcast/broadcasts.ts';
import { listResources } from '../../queries/catalog/bots.ts';
import { botOf, principalOf } from '../access.ts';
import { ApiError, invalid } from '../api-errors.ts';
import { parseJson } from '../exact-json.ts';
import { underKey } from '../idempotency.ts';
import { savedConditions } from '../saved-segments/find-saved-segments.ts';
import type { WaitForChange } from '../wait-for-change.ts';
import type { ContentContext } from './content.ts';

/** The dependencies of the methods that change a broadcast. */
export interface BroadcastChanges {
  readonly context: CommandContext;
  readonly ids: Readonly<Record<'broadcast' | 'segment', IdPool>>;
  readonly db: Reader;
  readonly waitForChange: WaitForChange;
  /** Whether PUBLIC_URL is set. */
  readonly hasPublicUrl: boolean;
}

/** Loads the broadcast of a request from the log. @throws Rejection not_found */
export function namedBroadcast(
  { context }: BroadcastChanges,
  request: FastifyRequest,
  id: number,
  key: 'id' | 'task_id' = 'id',
): Promise<Broadcast> {
  return existingBroadcast(context.log, { bot: botOf(request).public_key, id }, key);
}

/** Loads the data for the checks of a broadcast's content, if the body has content. @param id null: a new broadcast */
export async function contentContext(
  { context, db }: BroadcastChanges,
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
  const segmentations = property(body, 'segmentations');
  const options = { timezone, path: '', problems: [], segmentIds: null, savedSegments: null };
  const named = parseSegmentations(segmentations, options);
  const lists = segmentIdsOf(named);
  const segmentIds = lists.length > MAX_SEGMENTS ? null : await uploadedIds(context.log, public_key, id, lists);
  const tasks = taskIdsOf(named);
  const isFew = tasks.length <= MAX_SEGMENTS;
  const taskIds = isFew ? new Set((await ownTasks({ context, db }, request, tasks)).keys()) : null;
  const savedIds = savedSegmentIdsIn(segmentations);
  const isChecked = savedIds.length <= MAX_SAVED_SEGMENTS;
  const found = isChecked ? await savedConditions({ db, log: context.log }, { public_key, timezone }, savedIds) : null;
  return { type, timezone, segmentIds, taskIds, savedSegments: found, maxCap };
}

/** A broadcast without an id has no lists. */
function uploadedIds(log: EventLog, bot: string, id: number | null, named: readonly number[]): Promise<Set<number>> {
  return id === null || named.length === 0 ? Promise.resolve(new Set()) : uploadedSegments(log, { bot, id }, named);
}

/** @param audiences the segmentations that the broadcast may have at its activation */
export async function readinessFor(
  { context, db, hasPublicUrl }: BroadcastChanges,
  request: FastifyRequest,
  audiences: readonly string[],
  isNew: boolean,
): Promise<Readiness> {
  const { public_key, timezone } = botOf(request);
  const { token } = await existingBot(context.log, public_key);
  const savedIds = [...new Set(audiences.flatMap(savedSegmentIdsOf))];
  const savedSegments = await savedConditions({ db, log: context.log }, { public_key, timezone }, savedIds);
  const ids = audiences.flatMap((text) => taskIdsOf(storedSegmentations(text, timezone, null)));
  const tasks = await ownTasks({ context, db }, request, ids);
  return readiness({ timezone, isNew, hasToken: token !== null, hasPublicUrl, tasks, savedSegments });
}

/** Loads from the log the broadcasts whose bots are within the key's scope. */
export async function ownTasks(
  { context, db }: Pick<BroadcastChanges, 'context' | 'db'>,
  request: FastifyRequest,
  ids: readonly number[],
): Promise<Map<number, TaskSource>> {
  if (ids.length === 0) return new Map();
  const { ownerId, scope } = principalOf(request);
  const bots = await listResources(await db.at('catalog'), ownerId, scope);
  const keys = bots.map(({ resource_key }) => resource_key);
  return taskSources(context.log, keys, [...new Set(ids)]);
}

/** The part of the answer to a repeat that its commit does not have. */
interface Answered {
  readonly timezone: string;
  readonly statistics: BroadcastStatistics;
  readonly warnings?: readonly Warning[];
}

/** A checked request, with warnings. */
export interface Checked<T> {
  readonly command: T;
  readonly warnings: readonly Warning[];
}

/**
 * Changes a broadcast, once for each Idempotency-Key, and answers it as it is then.
 * @param id null: a new broadcast
 * @param check checks the request; @param append makes the change
 */
export async function changed<T>(
  { context, db, waitForChange }: BroadcastChanges,
  request: FastifyRequest,
  { route, id }: { readonly route: string; readonly id: number | null },
  check: () => Promise<Checked<T>>,
  append: (command: T, meta: CommandMeta) => Promise<BroadcastChange>,
): Promise<object> {
  const { timezone } = botOf(request);
  const { keyId } = principalOf(request);
  return underKey(
    request,
    `broadcast/${route}`,
    async (stamp, first) => {
      if (first !== null) return { ...(await repeatedChange(context.log, first)), answered: null };
      const statistics = id === null ? NO_STATISTICS : await findStatistics(await db.at('recipients'), id);
      const { command: checked, warnings } = await check();
      const answered: Answered = { timezone, statistics, ...(warnings.length === 0 ? {} : { warnings }) };
      const command = stamp === undefined ? stamp : { ...stamp, answer: answered };
      const change = await append(checked, { keyId, command }).catch((error: unknown) => {
        throw toApiError(error);
      });
      return { ...change, answered };
    },
    async ({ broadcast, position, repeated, answered }) => {
      await waitForChange(request, position);
      const { statistics, timezone, warnings } = (repeated?.command?.answer as Answered | undefined) ?? answered!;
      const told = warnings === undefined ? {} : { warnings };
      return { ok: true, data: broadcastObject(broadcast, statistics, timezone), ...told };
    },
  );
}

/** Rejections that have a special error code. */
function toApiError(error: unknown): unknown {
  if (error instanceof NotReady) return invalid(error.problems);
  if (error instanceof Rejection && error.message === QUOTA_EXHAUSTED) return new ApiError(403, QUOTA_EXHAUSTED);
  return error;
}

/** A broadcast as every method answers it (interface.md, "Broadcast object"); dates in the timezone of the bot. */
export function broadcastObject(found: Broadcast, statistics: BroadcastStatistics, timezone: string): object {
  const broadcast = isOver(found) && !areOfEnd(statistics, found) ? beforeEnd(found) : found;
  const { id, status, name, type, segmentations, message, variants = [], settings, frozen, archived } = broadcast;
  const shown = (ms: number | null): string | null => (ms === null ? null : localTimeOf(ms, timezone));
  const { paused_until, error, count_delivered, count_not_delivered, count_unknown } = statistics;
  const count_recipients = frozen ?? statistics.count_recipients;
  // Recipients that were never attempted are cancelled at the stop or the failure, and wait again after a relaunch.
  const hasStopped = status === Status.stopped || status === Status.failed;
  return {
    id,
    status,
    name,
    type,
    segmentations: parseJson(Buffer.from(segmentations)),
    message,
    ...(variants.length === 0 ? {} : { variants }),
    ...(archived === undefined ? {} : { archived }),
    settings: { ...settings, track_clicks: settings.track_clicks ?? false },
    date_send: shown(broadcast.date_send),
    date_create: shown(broadcast.date_create),
    date_activate: shown(broadcast.date_activate),
    date_finish: shown(broadcast.date_finish),
    count_recipients,
    count_delivered,
    count_not_delivered,
    count_cancelled: hasStopped ? count_recipients - count_delivered - count_not_delivered : 0,
    count_unknown,
    error: broadcast.error ?? error,
    paused_until: shown(paused_until),
  };
}

/** Statistics that were stored before they named a launch were read together with the broadcast. */
function areOfEnd({ ended_launch }: BroadcastStatistics, { launch }: Broadcast): boolean {
  return ended_launch === undefined || ended_launch === launch;
}

/** Counts follow the log later than the broadcast. It is not shown as ended before its final counts are there. */
function beforeEnd(broadcast: Broadcast): Broadcast {
  return { ...broadcast, status: broadcast.status_before ?? broadcast.status, date_finish: null, error: null };
}

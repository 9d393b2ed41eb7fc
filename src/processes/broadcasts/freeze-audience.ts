import { type ResolvedAudience, resolveAudience } from '../../commands/broadcast/resolve-audience.ts';
import { existingSavedSegment } from '../../commands/saved-segments/save-segment.ts';
import type { FilterConditions } from '../../domain/broadcast/audience.ts';
import {
  type SavedSegments,
  savedSegmentIdsOf,
  storedSegmentations,
} from '../../domain/broadcast/audience-segmentations.ts';
import type { Broadcast, SavedSegmentRevision } from '../../domain/broadcast/broadcast.ts';
import { storedConditions } from '../../domain/saved-segments/stored-conditions.ts';
import { broadcastsManifest } from '../../projections/broadcasts/manifest.ts';
import { eventsManifest } from '../../projections/events/manifest.ts';
import { recipientsManifest } from '../../projections/recipients/manifest.ts';
import { referralManifest } from '../../projections/referral/manifest.ts';
import { waitForReadModels } from '../../projections/runtime/wait-for-read-models.ts';
import { usersManifest } from '../../projections/users/manifest.ts';
import { audienceChats } from '../../queries/broadcast/audience-sql.ts';
import type { AudienceTables } from '../../queries/broadcast/audience-users-sql.ts';
import type { ProcessContext } from '../process.ts';

export interface AudienceOf {
  readonly broadcastId: number;
  /** Its audience, as JSON text. */
  readonly segmentations: string;
  /** Public key of its bot. */
  readonly bot: string;
  readonly botId: number;
  /** Of the bot, as of now; dates in conditions are in it. */
  readonly timezone: string;
  /** The saved segments that its audience names. */
  readonly savedSegments: readonly SavedSegmentRevision[];
}

/**
 * Resolves and freezes the audience of a broadcast, or resumes after a part of it. Waits for the read models, however long
 * they take, so that the audience counts all that was acknowledged before.
 * @throws the signal's reason; as `resolveAudience`
 */
export async function freezeAudience(
  context: ProcessContext,
  { broadcastId, segmentations: text, bot, botId, timezone, savedSegments }: AudienceOf,
  signal: AbortSignal,
): Promise<ResolvedAudience> {
  const saved = await conditionsAt(context.log, bot, savedSegments, timezone);
  const segmentations = storedSegmentations(text, timezone, saved);
  const tables = await caughtUp(context, bot, signal);
  return resolveAudience(context, {
    bot,
    broadcastId,
    signal,
    chats: (from) => audienceChats(context.pool, segmentations, { botId, tables, ...from }, signal),
  });
}

/** The saved segments that the audience of a broadcast names, as they are now, or one of them that was deleted. */
export async function savedSegmentsOf(
  log: ProcessContext['log'],
  bot: string,
  { segmentations, saved_segments: begun }: Pick<Broadcast, 'segmentations' | 'saved_segments'>,
): Promise<{ readonly revisions: readonly SavedSegmentRevision[] } | { readonly missing: number }> {
  if (begun !== undefined) return { revisions: begun };
  const revisions: SavedSegmentRevision[] = [];
  for (const id of savedSegmentIdsOf(segmentations)) {
    const segment = await existingSavedSegment(log, bot, id);
    if (segment === null) return { missing: id };
    revisions.push({ saved_segment_id: id, revision: segment.revision });
  }
  return { revisions };
}

/** The conditions that saved segments had at these revisions; they may be deleted since. */
async function conditionsAt(
  log: ProcessContext['log'],
  bot: string,
  savedSegments: readonly SavedSegmentRevision[],
  timezone: string,
): Promise<SavedSegments> {
  const found = new Map<number, FilterConditions>();
  for (const { saved_segment_id: id, revision } of savedSegments) {
    const segment = await existingSavedSegment(log, bot, id, revision);
    if (segment !== null) found.set(id, storedConditions(segment.conditions, timezone));
  }
  return found;
}

const MODELS = [usersManifest, eventsManifest, referralManifest, broadcastsManifest, recipientsManifest];
const POLL_MS = 20;

/** Waits until the read models have applied the bot's commits of the log as it ends now. @returns their schemas */
async function caughtUp({ log, served }: ProcessContext, bot: string, signal: AbortSignal): Promise<AudienceTables> {
  const loads = MODELS.map((model) => () => served(model));
  const found = await waitForReadModels(loads, await log.endCursor(), { pollMs: POLL_MS, signal, bot });
  signal.throwIfAborted();
  const [users, events, referral, broadcasts, recipients] = found!.map(({ schema }) => schema);
  return { users: users!, events: events!, referral: referral!, broadcasts: broadcasts!, recipients: recipients! };
}

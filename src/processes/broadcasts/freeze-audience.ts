import { type ResolvedAudience, resolveAudience } from '../../commands/broadcast/resolve-audience.ts';
import { storedSegmentations } from '../../domain/broadcast/audience-segmentations.ts';
import { hasPassedAll } from '../../log/port.ts';
import { broadcastsReadModel } from '../../projections/broadcasts/read-model.ts';
import { eventsReadModel } from '../../projections/events/read-model.ts';
import { recipientsReadModel } from '../../projections/recipients/read-model.ts';
import { referralReadModel } from '../../projections/referral/read-model.ts';
import { usersReadModel } from '../../projections/users/read-model.ts';
import { audienceChats } from '../../queries/broadcast/audience.ts';
import type { AudienceTables } from '../../queries/broadcast/audience-tables.ts';
import { pause } from '../../util/pause.ts';
import type { ProcessContext } from '../process.ts';

export interface AudienceOf {
  readonly broadcastId: number;
  /** Its audience, as JSON text. */
  readonly segmentations: string;
  /** Public key of its bot. */
  readonly bot: string;
  readonly botId: number;
  /** Of the bot, as of now: by its clock the dates of conditions are read. */
  readonly timezone: string;
}

/**
 * Resolves and freezes the audience of a broadcast, or goes on where that was broken off. What was acknowledged before is in
 * it: the read models are waited for, however long they take.
 * @throws the signal's reason; as `resolveAudience`
 */
export async function freezeAudience(
  context: ProcessContext,
  { broadcastId, segmentations: text, bot, botId, timezone }: AudienceOf,
  signal: AbortSignal,
): Promise<ResolvedAudience> {
  const segmentations = storedSegmentations(text, timezone);
  const tables = await caughtUp(context, signal);
  return resolveAudience(context, {
    bot,
    broadcastId,
    signal,
    chats: (from) => audienceChats(context.pool, segmentations, { bot, botId, tables, ...from }, signal),
  });
}

const MODELS = {
  users: usersReadModel,
  events: eventsReadModel,
  referral: referralReadModel,
  broadcasts: broadcastsReadModel,
  recipients: recipientsReadModel,
} as const;
const POLL_MS = 20;

/** The schemas of the read models, once all that is in the log now is in them. */
async function caughtUp({ log, served }: ProcessContext, signal: AbortSignal): Promise<AudienceTables> {
  const head = await log.endCursor();
  const schemaOf = async (model: (typeof MODELS)[keyof typeof MODELS]): Promise<string> => {
    for (;;) {
      signal.throwIfAborted();
      const found = await served(model);
      if (found !== null && hasPassedAll(found.passed, head)) return found.schema;
      await pause(POLL_MS, signal);
    }
  };
  const { users, events, referral, broadcasts, recipients } = MODELS;
  return {
    users: await schemaOf(users),
    events: await schemaOf(events),
    referral: await schemaOf(referral),
    broadcasts: await schemaOf(broadcasts),
    recipients: await schemaOf(recipients),
  };
}

import type pg from 'pg';
import type { Logger } from 'pino';
import { freshCache } from '../../database/fresh-cache.ts';
import type { EventLog } from '../../log/port.ts';
import type { Manifest } from '../../projections/read-model.ts';
import { referralManifest } from '../../projections/referral/manifest.ts';
import { usersManifest } from '../../projections/users/manifest.ts';
import { type BotRecipients, type RecipientUser, usersOfBots } from '../../queries/broadcast/recipient-users.ts';
import { pause } from '../../util/pause.ts';
import { sharedLookUp } from '../../util/shared-call.ts';
import type { ProcessContext, Served } from '../process.ts';

/** Look-ups that all broadcasts of an instance share: one query for all of them rather than one each. */

const POLL_MS = 100;
/** More read models than there are. */
const MAX_MODELS = 100;

/** The schema of a read model's live version; waits while the first is being built. @throws the signal's reason */
export type SchemaOf = (model: Manifest, signal: AbortSignal) => Promise<string>;

/** Looks a schema up once a second at most: each claim needs it, and most claims are of few recipients. */
export function servedSchemas({ served, config }: Pick<ProcessContext, 'served' | 'config'>): SchemaOf {
  const models = new Map<string, Manifest>();
  const schemas = freshCache<Served>({
    load: (name) => served(models.get(name)!),
    elapsed: () => performance.now(),
    max: MAX_MODELS,
    maxWaitMs: config.MAX_WAIT_MS,
  });
  return async (model, signal) => {
    models.set(model.name, model);
    for (;;) {
      const found = await schemas(model.name, false);
      if (found !== null) return found.schema;
      await pause(POLL_MS, signal);
      signal.throwIfAborted();
    }
  };
}

/** Knows which streams have grown, by one query of the log for all of them. */
export interface StreamWatch {
  watch(stream: string): WatchedStream;
}

interface WatchedStream {
  /** Whether the stream may have grown since the last call; true at the first call. */
  hasGrown(): boolean;
  end(): void;
}

const WATCH_MS = 200;

interface Watched {
  /** Undefined before the first look. */
  revision: number | undefined;
  grown: boolean;
}

export function createStreamWatch(log: Pick<EventLog, 'streamHeads'>, logger: Logger, lookMs = WATCH_MS): StreamWatch {
  const streams = new Map<string, Set<Watched>>();
  let timer: NodeJS.Timeout | null = null;

  async function look(): Promise<void> {
    const asked = [...streams].map(([stream, watched]) => [stream, [...watched]] as const);
    try {
      const ends = await log.streamHeads(asked.map(([stream]) => stream));
      for (const [stream, all] of asked)
        for (const watched of all) {
          const revision = ends.get(stream)?.revision ?? 0;
          if (revision !== watched.revision) watched.grown = true;
          watched.revision = revision;
        }
    } catch (error) {
      // The callers then read their streams, and get the error.
      logger.debug({ err: error }, 'failed to read stream heads; retrying');
      for (const [, all] of asked) for (const watched of all) watched.grown = true;
    }
  }

  function lookLater(): void {
    if (timer !== null || streams.size === 0) return;
    timer = setTimeout(() => {
      void look().then(() => {
        timer = null;
        lookLater();
      });
    }, lookMs);
  }

  return {
    watch(stream) {
      const watched: Watched = { revision: undefined, grown: true };
      streams.set(stream, (streams.get(stream) ?? new Set()).add(watched));
      lookLater();
      return {
        hasGrown() {
          const { grown } = watched;
          watched.grown = false;
          return grown;
        },
        end() {
          const all = streams.get(stream);
          all?.delete(watched);
          if (all?.size === 0) streams.delete(stream);
        },
      };
    },
  };
}

/** Finds users among the recipients of a claim; see `usersOfBots`. @throws the signal's reason */
export type UserLookUp = (
  recipients: BotRecipients,
  withFields: boolean,
) => Promise<ReadonlyMap<number, RecipientUser>>;

/**
 * Looks up the users of all broadcasts of an instance. Claims that come while a statement runs share the next one: with a
 * hundred bots, a statement for each claim was four fifths of all transactions of a sender.
 */
export function createUserLookUp(pool: pg.Pool, schemaOf: SchemaOf, signal: AbortSignal): UserLookUp {
  const [ofFields, ofStatuses] = [true, false].map((withFields) =>
    sharedLookUp(async (asked: readonly BotRecipients[]) => {
      const users = await schemaOf(usersManifest, signal);
      const referral = await schemaOf(referralManifest, signal);
      const found = await usersOfBots({ pool, users, referral }, asked, withFields);
      return new Map(asked.map((recipients, i) => [recipients, found[i]!]));
    }),
  );
  return async (recipients, withFields) => (await (withFields ? ofFields! : ofStatuses!)(recipients))!;
}

import { isDatabaseDown } from '../../database/database-errors.ts';
import { createLeaseHolder, type LeaseHolder } from '../../database/lease.ts';
import type { Cursor } from '../../log/port.ts';
import { createBotApi } from '../../platform/bot-api.ts';
import { broadcastsManifest } from '../../projections/broadcasts/manifest.ts';
import { broadcastWork } from '../../queries/broadcast/broadcasts.ts';
import { pause } from '../../util/pause.ts';
import type { FailureReport, Process, ProcessContext } from '../process.ts';
import { createRest } from '../wait-for-work.ts';
import type { BotSender } from './bot-sender.ts';
import { type Connections, createConnections } from './connections.ts';
import { driveBroadcast } from './drive-broadcast.ts';
import { createFailures } from './failures.ts';
import { PlatformHealth } from './platform-health.ts';
import { SendQueue } from './send-queue.ts';
import {
  createStreamWatch,
  createUserLookUp,
  type SchemaOf,
  type StreamWatch,
  servedSchemas,
  type UserLookUp,
} from './shared-look-ups.ts';

/** Calls under way at once, of all bots and of one; each needs a connection. */
const MAX_CALLS = 1024;
const MAX_CALLS_OF_BOT = 256;
const POLL_MS = 200;
/** Short, so that another instance takes over soon after a sender was killed. */
const LEASE = { ttlMs: 2000, renewMs: 500 };
/** The wait after a look-up of due broadcasts has failed, or the taking or release of a lease. */
const AGAIN_MS = 4000;

/**
 * Sends broadcasts that are due, and broadcasts that another sender did not finish. One instance sends for a bot, by a
 * lease; if two do for a moment, each recipient is still claimed by one of them only.
 */
export const broadcastsProcess: Process = {
  name: 'broadcast sending',
  instances: 'all',
  isOutward: true,
  async run(context, signal) {
    const connections = createConnections(MAX_CALLS);
    const schemaOf = servedSchemas(context);
    const work = new Map<string, ReadonlySet<number>>();
    const bots = new Map<string, Promise<void>>();
    const watch = createStreamWatch(context.log, context.logger);
    const usersOf = createUserLookUp(context.pool, schemaOf, signal);
    const lookUp = createLookUp();
    let nextDue: number | null = null;
    const pausing = createRest(context, () => (nextDue === null ? null : nextDue <= context.sources.now()));
    const leases = createLeaseHolder(context.pool, context.instance, { logger: context.logger, ...LEASE });
    try {
      while (!signal.aborted) {
        pausing.begin();
        const found = await lookUp(context, work);
        if (found === 'failed') {
          await pause(AGAIN_MS, signal);
          continue;
        }
        nextDue = found?.nextDue ?? null;
        for (const bot of work.keys()) {
          if (bots.has(bot)) continue;
          const sending = sendForBot(
            context,
            { connections, schemaOf, watch, usersOf, leases, bot, work: () => work.get(bot) ?? NOTHING },
            signal,
          );
          bots.set(
            bot,
            sending.finally(() => bots.delete(bot)),
          );
        }
        const isIdle = found !== null && work.size === 0 && bots.size === 0;
        await pausing.rest(POLL_MS, isIdle ? [found.passed] : null, signal);
      }
    } finally {
      await Promise.allSettled(bots.values());
    }
  },
};

const NOTHING: ReadonlySet<number> = new Set();

/** Stands before the error in `projection list`. */
const LOOK_UP = 'what there is to send';
const LOOK_UP_FAILED = `failed to look up due broadcasts; retrying in ${AGAIN_MS / 1000} s`;

/** How far the read model was, and when the next broadcast is due; null: the read model is still being built. */
type Found = { readonly passed: Cursor; readonly nextDue: number | null } | null;

/** Looks up due broadcasts, and reports failures. A failure does not stop broadcasts that are being sent. */
function createLookUp(): (
  context: ProcessContext,
  work: Map<string, ReadonlySet<number>>,
) => Promise<Found | 'failed'> {
  let failing = false;
  return async (context, work) => {
    try {
      const found = await dueBroadcasts(context, work);
      if (failing) context.reportFailure(LOOK_UP, null);
      failing = false;
      return found;
    } catch (error) {
      work.clear(); // a broadcast that ends before the next look-up must not be begun again
      const down = isDatabaseDown(error);
      if (!failing) context.logger[down ? 'warn' : 'error']({ err: error }, LOOK_UP_FAILED);
      if (!down)
        context.reportFailure(LOOK_UP, {
          error: error instanceof Error ? error.message : String(error),
          againMs: AGAIN_MS,
        });
      failing = true;
      return 'failed';
    }
  };
}

/** Sets the broadcasts that are due or being sent, by bot. */
async function dueBroadcasts(context: ProcessContext, work: Map<string, ReadonlySet<number>>): Promise<Found> {
  const served = await context.served(broadcastsManifest);
  if (served === null) return null;
  const found = await broadcastWork(context.pool, served.schema, context.sources.now());
  context.note(served.passed);
  work.clear();
  for (const { bot, id } of found.work) work.set(bot, new Set([...(work.get(bot) ?? []), id]));
  return { passed: served.passed, nextDue: found.nextDue };
}

interface BotWork {
  readonly connections: Connections;
  readonly schemaOf: SchemaOf;
  readonly watch: StreamWatch;
  readonly usersOf: UserLookUp;
  readonly leases: LeaseHolder;
  readonly bot: string;
  /** The bot's broadcasts that are due or being sent, as of now. */
  work(): ReadonlySet<number>;
}

async function sendForBot(context: ProcessContext, of: BotWork, signal: AbortSignal): Promise<void> {
  const { logger } = context;
  try {
    await of.leases.hold(`broadcasts of ${of.bot}`, signal, (held) => sendWhileHeld(context, of, held));
  } catch (error) {
    logger.warn(
      { err: error, bot: of.bot },
      `failed to take or give back the lease of a bot's broadcasts; retrying in ${AGAIN_MS / 1000} s`,
    );
    await pause(AGAIN_MS, signal);
  }
}

/**
 * Sends all broadcasts of the bot side by side. The bot has its own connections, so that a search for a free one is
 * short.
 */
async function sendWhileHeld(
  context: ProcessContext,
  { connections, schemaOf, watch, usersOf, bot, work }: BotWork,
  held: AbortSignal,
): Promise<void> {
  const elapsed = () => performance.now();
  const api = createBotApi({ root: context.config.TELEGRAM_API_ROOT, connections: MAX_CALLS_OF_BOT });
  const queue = new SendQueue(connections, MAX_CALLS_OF_BOT, elapsed, held);
  const health = new PlatformHealth({
    now: context.sources.now,
    elapsed,
    report: (failure) => reportPlatform(context, bot, failure),
  });
  const sender = { api, queue, schemaOf, watch, usersOf, health, elapsed };
  const driven = new Map<number, Promise<void>>();
  try {
    while (!held.aborted) {
      for (const id of work()) {
        if (driven.has(id)) continue;
        const driving = drive(context, sender, { bot, id }, held).finally(() => driven.delete(id));
        driven.set(id, driving);
      }
      if (driven.size === 0) break;
      await pause(POLL_MS, held);
    }
    await Promise.all(driven.values());
  } finally {
    health.end();
    queue.close();
    await api.close();
  }
}

function reportPlatform({ reportFailure, logger }: ProcessContext, bot: string, failure: FailureReport | null): void {
  reportFailure(`bot ${bot}`, failure);
  if (failure !== null)
    logger.warn({ bot, ...failure }, 'the platform gives no usable answers; sending to one recipient at a time');
}

async function drive(
  context: ProcessContext,
  sender: Omit<BotSender, 'failures'>,
  name: { readonly bot: string; readonly id: number },
  held: AbortSignal,
): Promise<void> {
  const failures = createFailures({
    broadcast: name.id,
    logger: context.logger,
    elapsed: sender.elapsed,
    report: (failure) => context.reportFailure(`broadcast ${name.id}`, failure),
  });
  await driveBroadcast(context, { ...sender, failures }, name, held);
  failures.recovered();
}

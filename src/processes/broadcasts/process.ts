import { isDatabaseDown } from '../../database/errors.ts';
import { createLeaseHolder, type LeaseHolder } from '../../database/lease.ts';
import type { Cursor } from '../../log/port.ts';
import { createBotApi } from '../../platform/bot-api.ts';
import { broadcastsReadModel } from '../../projections/broadcasts/read-model.ts';
import { broadcastWork } from '../../queries/broadcast/work.ts';
import { pause } from '../../util/pause.ts';
import type { Process, ProcessContext } from '../process.ts';
import { createRest } from '../rest.ts';
import { driveBroadcast, type Station } from './drive.ts';
import { createFailure } from './failure.ts';
import { createLane } from './lane.ts';
import { type SchemaOf, servedSchemas } from './served.ts';
import { createSlots, type Slots } from './slots.ts';
import { createStreamWatch, type StreamWatch } from './stream-watch.ts';
import { createTrouble } from './trouble.ts';

/** Calls under way at once, of all bots and of one; each is a connection. */
const MAX_CALLS = 1024;
const MAX_CALLS_OF_BOT = 256;
const LOOK_MS = 200;
/** Others take over soon after a sender was killed: what it was doing is not waited for. */
const LEASE = { ttlMs: 2000, renewMs: 500 };
/** What could not be looked up, and a lease that could not be taken or given back, is tried again after a while. */
const AGAIN_MS = 4000;

/**
 * Sends broadcasts: those that are due, and those that somebody left behind. One instance sends for a bot, by a lease; with
 * two for a moment, each recipient is still claimed by one of them only.
 */
export const broadcastsProcess: Process = {
  name: 'broadcast sending',
  alone: false,
  async run(context, signal) {
    const slots = createSlots(MAX_CALLS);
    const schemaOf = servedSchemas(context);
    const work = new Map<string, ReadonlySet<number>>();
    const bots = new Map<string, Promise<void>>();
    const watch = createStreamWatch(context.log, context.logger);
    const looked = lookPatiently();
    let nextDue: number | null = null;
    const pausing = createRest(context, () => (nextDue === null ? null : nextDue <= context.sources.now()));
    const leases = createLeaseHolder(context.pool, context.instance, { logger: context.logger, ...LEASE });
    try {
      while (!signal.aborted) {
        pausing.begin();
        const found = await looked(context, work);
        if (found === 'failed') {
          await pause(AGAIN_MS, signal);
          continue;
        }
        nextDue = found?.nextDue ?? null;
        for (const bot of work.keys()) {
          if (bots.has(bot)) continue;
          const sending = sendForBot(
            context,
            { slots, schemaOf, watch, leases, bot, work: () => work.get(bot) ?? NOTHING },
            signal,
          );
          bots.set(
            bot,
            sending.finally(() => bots.delete(bot)),
          );
        }
        const isIdle = found !== null && work.size === 0 && bots.size === 0;
        await pausing.rest(LOOK_MS, isIdle ? [found.passed] : null, signal);
      }
    } finally {
      await Promise.allSettled(bots.values());
    }
  },
};

const NOTHING: ReadonlySet<number> = new Set();

const LOOKING = 'what there is to send';
const LOOK_FAILED = `failed to look up due broadcasts; retrying in ${AGAIN_MS / 1000} s`;

/** What a look has found: how far the read model was, and when the next broadcast is due; null: there is none yet. */
type Found = { readonly passed: Cursor; readonly nextDue: number | null } | null;

/** Looks, and tells when that fails: what is being sent goes on meanwhile. */
function lookPatiently(): (
  context: ProcessContext,
  work: Map<string, ReadonlySet<number>>,
) => Promise<Found | 'failed'> {
  let failing = false;
  return async (context, work) => {
    try {
      const found = await look(context, work);
      if (failing) context.tell(LOOKING, null);
      failing = false;
      return found;
    } catch (error) {
      work.clear(); // what ends meanwhile is not to be begun again
      const down = isDatabaseDown(error);
      if (!failing) context.logger[down ? 'warn' : 'error']({ err: error }, LOOK_FAILED);
      if (!down)
        context.tell(LOOKING, { error: error instanceof Error ? error.message : String(error), againMs: AGAIN_MS });
      failing = true;
      return 'failed';
    }
  };
}

/** Looks what there is to do, by bot. */
async function look(context: ProcessContext, work: Map<string, ReadonlySet<number>>): Promise<Found> {
  const served = await context.served(broadcastsReadModel);
  if (served === null) return null;
  const found = await broadcastWork(context.pool, served.schema, context.sources.now());
  context.note(served.passed);
  work.clear();
  for (const { bot, id } of found.work) work.set(bot, new Set([...(work.get(bot) ?? []), id]));
  return { passed: served.passed, nextDue: found.nextDue };
}

interface BotWork {
  readonly slots: Slots;
  readonly schemaOf: SchemaOf;
  readonly watch: StreamWatch;
  readonly leases: LeaseHolder;
  readonly bot: string;
  /** The broadcasts that there is something to do about, as of now. */
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

/** All broadcasts of the bot side by side, until there is none left; over connections of its own: few are soon looked over. */
async function sendWhileHeld(
  context: ProcessContext,
  { slots, schemaOf, watch, bot, work }: BotWork,
  held: AbortSignal,
): Promise<void> {
  const elapsed = () => performance.now();
  const api = createBotApi({ root: context.config.TELEGRAM_API_ROOT, connections: MAX_CALLS_OF_BOT });
  const lane = createLane(slots, MAX_CALLS_OF_BOT, elapsed, held);
  const trouble = createTrouble({
    now: context.sources.now,
    tell: (given) => tellOfBot(context, bot, given),
  });
  const station = { api, lane, schemaOf, watch, trouble, elapsed };
  const driven = new Map<number, Promise<void>>();
  try {
    while (!held.aborted) {
      for (const id of work()) {
        if (driven.has(id)) continue;
        const driving = drive(context, station, { bot, id }, held).finally(() => driven.delete(id));
        driven.set(id, driving);
      }
      if (driven.size === 0) break;
      await pause(LOOK_MS, held);
    }
    await Promise.all(driven.values());
  } finally {
    trouble.end();
    lane.close();
    await api.close();
  }
}

function tellOfBot(
  { tell, logger }: ProcessContext,
  bot: string,
  trouble: { readonly error: string; readonly againMs: number } | null,
): void {
  tell(`bot ${bot}`, trouble);
  if (trouble !== null)
    logger.warn({ bot, ...trouble }, 'the platform gives no usable answers; sending to one recipient at a time');
}

async function drive(
  context: ProcessContext,
  station: Omit<Station, 'failure'>,
  name: { readonly bot: string; readonly id: number },
  held: AbortSignal,
): Promise<void> {
  const failure = createFailure({
    broadcast: name.id,
    logger: context.logger,
    elapsed: station.elapsed,
    tell: (trouble) => context.tell(`broadcast ${name.id}`, trouble),
  });
  await driveBroadcast(context, { ...station, failure }, name, held);
  failure.mended();
}

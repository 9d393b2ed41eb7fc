import PQueue from 'p-queue';
import { makeAutoPayout, payoutsDue, payoutsMade } from '../../commands/referral/payouts.ts';
import { lastDue } from '../../domain/referral/auto-payouts.ts';
import type { Cursor } from '../../log/port.ts';
import { accountsManifest } from '../../projections/accounts/manifest.ts';
import { catalogManifest } from '../../projections/catalog/manifest.ts';
import { servedProgress, waitForReadModels } from '../../projections/runtime/wait-for-read-models.ts';
import { listBots } from '../../queries/catalog/bots.ts';
import { usersWithAvailable } from '../../queries/referral/find-balance.ts';
import type { Process, ProcessContext } from '../process.ts';
import { ACCOUNT_AGAIN_MS, isUnreadable, reportAccount } from '../unreadable-account.ts';
import { createRest } from '../wait-for-work.ts';

const POLL_MS = 500;
/** The longest wait for one bot: then it looks for other bots, and for a stop. */
const CATCH_UP_MS = 1000;
const ACCOUNTS_AT_ONCE = 16;
/** How long an account that could not be paid is shown: an operator may look once a day. */
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Requests automatic payouts (decisions.md#auto-payouts), one for each period and account. An event of the bot ends a
 * period, so a balance that becomes available later waits for the next period, even after a restart or a rebuild.
 */
export const autoPayouts: Process = { name: 'auto payouts', instances: 'shared', isOutward: true, run };

async function run(context: ProcessContext, signal: AbortSignal): Promise<void> {
  /** By bot: the last period whose payouts are known to be requested. */
  const known = new Map<string, number>();
  /** Bots whose streams cannot be read, and when each is tried again. */
  const failing = new Map<string, number>();
  let bots: Awaited<ReturnType<typeof listBots>> = [];
  const isDue = (): boolean | null => {
    const making = bots.filter(({ auto_payout }) => auto_payout !== 'off');
    if (making.length === 0) return null;
    return making.some(
      ({ public_key: bot, auto_payout }) => known.get(bot) !== lastDue(auto_payout, context.sources.now()),
    );
  };
  const pausing = createRest(context, isDue);
  while (!signal.aborted) {
    pausing.begin();
    let idle: Cursor[] | null = null;
    const catalog = await context.served(catalogManifest);
    if (catalog !== null) {
      const all = await listBots({ pool: context.pool, catalog: catalog.schema });
      bots = all.filter(({ public_key }) => context.partitions.has(context.log.partitionOf(public_key)));
      let done = true;
      for (const { public_key: bot, auto_payout: when } of bots) {
        if (signal.aborted) return;
        const last = lastDue(when, context.sources.now());
        if (last === null || known.get(bot) === last) continue;
        if ((failing.get(bot) ?? 0) > performance.now()) done = false;
        else if (await madeFor(context, bot, failing, signal)) known.set(bot, last);
        else done = false;
      }
      if (done) {
        idle = [catalog.passed];
        context.note(catalog.passed);
      }
    }
    await pausing.rest(POLL_MS, idle, signal);
  }
}

/** As {@link make}. A bot whose own streams cannot be read is named, and keeps no other bot from being paid. */
async function madeFor(
  context: ProcessContext,
  bot: string,
  failing: Map<string, number>,
  signal: AbortSignal,
): Promise<boolean> {
  const subject = `bot ${bot}`;
  try {
    const made = await make(context, bot, signal);
    if (failing.delete(bot)) context.reportFailure(subject, null);
    return made;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    const retrying = `retrying in ${ACCOUNT_AGAIN_MS / 1000} s`;
    context.logger.error({ err: error, bot }, `failed to read a bot's settings for automatic payouts; ${retrying}`);
    context.reportFailure(subject, { error: error.message, againMs: ACCOUNT_AGAIN_MS });
    failing.set(bot, performance.now() + ACCOUNT_AGAIN_MS);
    return false;
  }
}

/** An account that cannot be read is named and waits for the next period. @returns whether all due payouts are requested; false: read model `accounts` is behind, or the signal aborted */
async function make(context: ProcessContext, bot: string, signal: AbortSignal): Promise<boolean> {
  const until = await payoutsDue(context, bot);
  if (until === null) return true;
  const end = await context.log.endCursor();
  // A read model that is behind must not leave out a user who has earned something before.
  const waiting = { timeoutMs: CATCH_UP_MS, bot };
  if ((await context.served(accountsManifest))?.quarantined.has(bot)) return false;
  if (!(await waitForReadModels([servedProgress(context.pool, accountsManifest)], end, waiting))) return false;
  const served = (await context.served(accountsManifest))!;
  const source = { pool: context.pool, accounts: served.schema };
  const users = await usersWithAvailable(source, bot, context.sources.now());
  const queue = new PQueue({ concurrency: ACCOUNTS_AT_ONCE });
  const work = users.map((user) =>
    queue.add(async () => {
      if (signal.aborted) return;
      try {
        await makeAutoPayout(context.accounts, bot, user, until);
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        reportAccount(context, { bot, user }, error, DAY_MS);
      }
    }),
  );
  try {
    await Promise.all(work);
  } finally {
    queue.clear();
    await queue.onIdle();
  }
  if (signal.aborted) return false;
  await payoutsMade(context, bot, until);
  return true;
}

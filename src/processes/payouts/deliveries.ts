import PQueue from 'p-queue';
import {
  type AttemptEnd,
  beginAttempt,
  endAttempt,
  giveUp,
  type PayoutKey,
} from '../../commands/referral/announce-payout.ts';
import { findPayoutWebhook } from '../../commands/referral/payout-webhook.ts';
import type { Tables } from '../../database/tables.ts';
import { noticeBody, resultOfStatus, retryAfter, signedHeaders } from '../../domain/referral/delivery.ts';
import { Rejection } from '../../domain/rejection.ts';
import { isPassing } from '../../log/is-passing.ts';
import type { Cursor } from '../../log/port.ts';
import { accountsManifest } from '../../projections/accounts/manifest.ts';
import { catalogManifest } from '../../projections/catalog/manifest.ts';
import {
  type DueOptions,
  type DuePayout,
  duePayouts,
  nextDue,
  waitingBots,
} from '../../queries/referral/find-deliveries.ts';
import { parseNetwork } from '../../util/networks.ts';
import { pause } from '../../util/pause.ts';
import { inSpan } from '../../util/tracing.ts';
import type { Process, ProcessContext } from '../process.ts';
import { createAwaitedTime, createRest } from '../wait-for-work.ts';
import {
  type CallResult,
  createWebhookClient,
  type WebhookClient,
  type WebhookClientOptions,
} from './webhook-client.ts';

const POLL_MS = 200;
/** Calls of one bot at once. Its other calls wait for these; calls of other bots do not. */
const CALLS_PER_BOT = 4;
/** How long a stop waits for calls. A call that is cut off is repeated (CUT_OFF_MS). */
const GRACE_MS = 5000;
/** The wait before an append is retried. */
const AGAIN_MS = 500;

/** For tests. */
export type DeliveryOptions = Omit<WebhookClientOptions, 'allowed'>;

/**
 * Sends payouts to clients by webhook (decisions.md#payout-webhook). The read model `accounts` and the clock say which are
 * due. Each attempt is in the account's stream before it is made, so one of several instances makes it.
 */
export function deliveries(options: DeliveryOptions = {}): Process {
  return {
    name: 'payout deliveries',
    instances: 'shared',
    isOutward: true,
    run: (context, signal) => run(options, context, signal),
  };
}

async function run(options: DeliveryOptions, context: ProcessContext, signal: AbortSignal): Promise<void> {
  const { config, sources } = context;
  const client = createWebhookClient({ ...options, allowed: config.WEBHOOK_ALLOWED_NETWORKS.map(parseNetwork) });
  const firstDelay = config.WEBHOOK_RETRY_DELAYS[0]!;
  const underWay = new Set<number>();
  const queues = new Map<string, PQueue>();
  const cut = new AbortController();
  let cutting: NodeJS.Timeout | undefined;
  signal.addEventListener('abort', () => (cutting = setTimeout(() => cut.abort(), GRACE_MS)), { once: true });
  const deliver = deliverer(context, client, cut.signal);

  function start(payout: DuePayout): void {
    underWay.add(payout.payout_id);
    const queue = queues.get(payout.bot) ?? new PQueue({ concurrency: CALLS_PER_BOT });
    queues.set(payout.bot, queue);
    void queue.add(async () => {
      if (!signal.aborted) await deliver(payout);
      underWay.delete(payout.payout_id);
      if (queue.size === 0 && queue.pending === 1) queues.delete(payout.bot);
    });
  }

  /** Leaves out payouts that are under way, bots with enough calls in their queue, and bots of other instances. */
  function others(ofOthers: readonly string[]): Pick<DueOptions, 'except' | 'exceptBots'> {
    const busy = [...queues].filter(([, queue]) => queue.size >= CALLS_PER_BOT);
    return { except: [...underWay], exceptBots: [...busy.map(([bot]) => bot), ...ofOthers] };
  }

  /** The bots of other instances that have payouts to announce. */
  async function botsOfOthers(source: Tables<'accounts'>): Promise<string[]> {
    const { log, partitions } = context;
    if (partitions.size === log.partitions) return [];
    return (await waitingBots(source)).filter((bot) => !partitions.has(log.partitionOf(bot)));
  }

  /** While the accounts have not changed and no payout is due, no query is made. */
  let seen = '';
  const next = createAwaitedTime(sources.now, () => performance.now());
  const pausing = createRest(context, next.hasCome);
  try {
    while (!signal.aborted) {
      pausing.begin();
      let idle: Cursor[] | null = null;
      const [accounts, catalog] = await Promise.all([accountsManifest, catalogManifest].map(context.served));
      if (accounts && catalog) {
        const source = { pool: context.pool, accounts: accounts.schema, catalog: catalog.schema };
        const now = sources.now();
        const state = JSON.stringify([accounts, [...accounts.passed], underWay.size]);
        if (underWay.size === 0) idle = [accounts.passed, catalog.passed];
        if (state !== seen || next.hasCome()) {
          const ofOthers = await botsOfOthers(source);
          const due = await duePayouts(source, { now, firstDelay, ...others(ofOthers), perBot: CALLS_PER_BOT });
          for (const payout of due) start(payout);
          next.set(await nextDue(source, { now, firstDelay, ...others(ofOthers) }), now);
          seen = due.length > 0 ? '' : state;
          if (due.length > 0) idle = null;
        }
        context.note(accounts.passed);
      }
      await pausing.rest(POLL_MS, idle, signal);
    }
  } finally {
    await Promise.all([...queues.values()].map((queue) => queue.onIdle()));
    clearTimeout(cutting);
    await client.close();
  }
}

/** Makes one attempt and records its begin and its end. Never rejects: after any failure the attempt is due again later. */
function deliverer(
  context: ProcessContext,
  client: WebhookClient,
  cut: AbortSignal,
): (payout: DuePayout) => Promise<void> {
  const { accounts, sources, config } = context;
  const delays = config.WEBHOOK_RETRY_DELAYS;

  async function attempt(payout: DuePayout, key: PayoutKey): Promise<void> {
    const webhook = await findPayoutWebhook(context, payout.bot);
    if (webhook === null || webhook.secrets.length === 0) {
      const what = webhook === null ? 'the bot has no webhook' : "the webhook's secret was forgotten";
      return giveUp(accounts, key, `${what}: set it in the settings of the bot, or with botledger webhook set`);
    }
    const number = await beginAttempt(accounts, key, delays, webhook);
    if (number === null) return;
    const body = noticeBody(payout);
    const headers = signedHeaders(payout, body, webhook.secrets, sources.now());
    const end = endOf(await client.post(webhook.url, headers, body, cut), sources.now());
    if (end !== null) await record(key, number, end);
  }

  /** Retries until the log has the end: the client knows of the payout, so its answer must not be lost. */
  async function record(key: PayoutKey, number: number, end: AttemptEnd): Promise<void> {
    for (;;) {
      try {
        return await endAttempt(accounts, key, number, end, delays);
      } catch (error) {
        if (cut.aborted || !isPassing(error)) throw error;
        context.logger.warn({ err: error }, 'failed to record the end of a webhook attempt; retrying');
      }
      await pause(AGAIN_MS, cut);
    }
  }

  return async (payout) => {
    const key = { bot: payout.bot, userId: payout.user_id, payoutId: payout.payout_id };
    try {
      const links = payout.trace === null ? [] : [payout.trace];
      const span = { kind: 'consumer', root: true, links, attributes: {} } as const;
      await inSpan('announce payout', span, () => attempt(payout, key));
    } catch (error) {
      // An administrator was faster, or another instance that found the attempt cut off.
      const level = error instanceof Rejection ? 'info' : 'error';
      context.logger[level]({ err: error, payout: payout.payout_id }, 'failed to announce a payout');
      await pause(AGAIN_MS, cut);
    }
  };
}

/** Null: the call was cut off, and will be repeated. */
function endOf(result: CallResult, now: number): AttemptEnd | null {
  switch (result.type) {
    case 'interrupted':
      return null;
    case 'refused':
      return { result: 'gone', sent: false, status: null, error: result.error, retryAfter: null };
    case 'failed':
      return { result: 'again', sent: result.sent, status: null, error: result.error, retryAfter: null };
    case 'answered': {
      const { status } = result;
      const says = resultOfStatus(status);
      if (says === 'paid') return { result: 'paid', status };
      if (says === 'accepted') return { result: 'accepted' };
      const error = `answered ${status}`;
      return { result: says, sent: true, status, error, retryAfter: retryAfter(result.retryAfter, now) };
    }
  }
}

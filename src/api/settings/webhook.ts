import type { Accounts } from '../../commands/referral/accounts.ts';
import { findPayoutWebhook, rotatePayoutSecret, setPayoutWebhook } from '../../commands/referral/payout-webhook.ts';
import { administerPayout } from '../../commands/referral/payouts.ts';
import { Rejection } from '../../domain/rejection.ts';
import { listDeliveries } from '../../queries/referral/find-deliveries.ts';
import { refusedUrl } from '../../util/networks.ts';
import { botOf } from '../access.ts';
import type { FindCaughtUp } from '../find-caught-up.ts';
import { payoutOfBot } from '../referral/payout-of-bot.ts';
import { type AnyRoute, route } from '../route.ts';
import type { WaitForChange } from '../wait-for-change.ts';
import { change, OF_BOT, type Settings } from './change-setting.ts';
import {
  deliveriesAnswer,
  deliveriesQuery,
  nothingBody,
  redeliverAnswer,
  redeliverBody,
  setWebhookBody,
  webhookAnswer,
  webhookSecretAnswer,
} from './schemas.ts';

export interface WebhookSettings extends Settings {
  /** WEBHOOK_ALLOWED_NETWORKS */
  readonly allowedNetworks: readonly string[];
  readonly accounts: Accounts;
  /** Waits for the read model of accounts. */
  readonly waitForAccount: WaitForChange;
  readonly findCaughtUp: FindCaughtUp;
}

/** The webhook that payouts are announced to, and its deliveries. */
export function webhookSettings(settings: WebhookSettings): AnyRoute[] {
  return [...addressRoutes(settings), ...deliveryRoutes(settings)];
}

/** The address that payouts are announced to, and its signing secret. */
function addressRoutes({ context, waitForChange, allowedNetworks }: WebhookSettings): AnyRoute[] {
  return [
    route({
      method: 'GET',
      url: '/v1/settings/webhook',
      operationId: 'getPayoutWebhook',
      summary: 'The webhook that payouts of a bot are announced to, without its secret',
      tag: 'Settings',
      access: OF_BOT,
      answer: webhookAnswer,
      async handle({ request }) {
        const found = await findPayoutWebhook(context, botOf(request).public_key);
        const webhook =
          found === null
            ? null
            : { url: found.url, set_at: new Date(found.setAt).toISOString(), signatures: found.secrets.length };
        return { ok: true, data: { webhook } };
      },
    }),
    route({
      method: 'POST',
      url: '/v1/settings/webhook/set',
      operationId: 'setPayoutWebhook',
      summary: 'Set the address. The first time shows the signing secret. Later addresses keep it',
      tag: 'Settings',
      access: OF_BOT,
      body: setWebhookBody,
      answer: webhookSecretAnswer,
      idempotent: true,
      async handle({ request, body: { url } }) {
        const bot = botOf(request).public_key;
        const refused = refusedUrl(url, allowedNetworks);
        if (refused !== undefined) throw new Rejection('invalid', 'url', `the url ${refused}`);
        return change(request, waitForChange, {
          route: 'settings/webhook/set',
          work: (meta) => setPayoutWebhook(context, bot, url, meta),
          dataOf: ({ isFirst, secret }) => ({ secret: isFirst ? secret : null }),
          repeatOf: () => ({ secret: null }),
        });
      },
    }),
    route({
      method: 'POST',
      url: '/v1/settings/webhook/rotate-secret',
      operationId: 'rotatePayoutWebhookSecret',
      summary: 'Replace the signing secret and show it once. The old one also signs for 24 hours',
      tag: 'Settings',
      access: OF_BOT,
      body: nothingBody,
      answer: webhookSecretAnswer,
      idempotent: true,
      errors: [404],
      async handle({ request }) {
        const bot = botOf(request).public_key;
        return change(request, waitForChange, {
          route: 'settings/webhook/rotate-secret',
          work: (meta) => rotatePayoutSecret(context, bot, meta),
          dataOf: ({ secret }) => ({ secret }),
          repeatOf: () => ({ secret: null }),
        });
      },
    }),
  ];
}

function deliveryRoutes({ accounts, db, waitForAccount, findCaughtUp }: WebhookSettings): AnyRoute[] {
  return [
    route({
      method: 'GET',
      url: '/v1/settings/webhook/deliveries',
      operationId: 'listDeliveries',
      summary: 'Every attempt to announce a payout of a bot, the latest first',
      tag: 'Settings',
      access: OF_BOT,
      query: deliveriesQuery,
      answer: deliveriesAnswer,
      async handle({ request, query: { payout_id, limit, offset } }) {
        const rows = await listDeliveries(await db.at('accounts'), botOf(request).public_key, payout_id, {
          limit,
          offset,
        });
        return { ok: true, data: { items: rows } };
      },
    }),
    route({
      method: 'POST',
      url: '/v1/settings/webhook/redeliver',
      operationId: 'redeliverPayout',
      summary: 'Announce a payout now that failed or waits for its next attempt, as `payout retry`',
      tag: 'Settings',
      access: OF_BOT,
      body: redeliverBody,
      answer: redeliverAnswer,
      idempotent: true,
      errors: [404],
      async handle({ request, body: { payout_id } }) {
        const bot = botOf(request).public_key;
        return change(request, waitForAccount, {
          route: 'settings/webhook/redeliver',
          async work(meta) {
            const name = await payoutOfBot({ db, findCaughtUp }, bot, payout_id);
            return administerPayout(accounts, { ...name, action: 'retry', force: false }, meta);
          },
          dataOf: () => ({ payout_id }),
          repeatOf: () => ({ payout_id }),
        });
      },
    }),
  ];
}

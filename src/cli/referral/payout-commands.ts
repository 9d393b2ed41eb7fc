import { Option } from 'commander';
import { existingBot } from '../../commands/catalog/change-bot.ts';
import { type Accounts, createAccounts } from '../../commands/referral/accounts.ts';
import type { AccountKey } from '../../commands/referral/books.ts';
import { rotatePayoutSecret, setPayoutWebhook } from '../../commands/referral/payout-webhook.ts';
import { administerPayout, PAYOUT_ACTIONS, requestPayout } from '../../commands/referral/payouts.ts';
import { PAYOUT_STATUS, type PayoutMethod } from '../../domain/referral/account/state.ts';
import { listDeliveries } from '../../queries/referral/find-deliveries.ts';
import { type BotPayout, findPayout, payoutsOfBot } from '../../queries/referral/payout-list.ts';
import { refusedUrl } from '../../util/networks.ts';
import { type Cli, CliError } from '../command.ts';
import { exactly } from '../output.ts';
import { botOption, listed, namedBots, positiveInteger, status } from '../values.ts';

interface Create {
  readonly bot: string;
  readonly user: number;
  readonly unit?: number;
  readonly method: PayoutMethod;
}

/** The names of the statuses, in the order of their numbers. */
const STATUSES = Object.entries(PAYOUT_STATUS)
  .sort(([, a], [, b]) => a - b)
  .map(([name]) => name);

export function payout(cli: Cli): void {
  const { noun } = cli;

  noun
    .command('list')
    .description('List the payouts of bots.')
    .addOption(botOption())
    .option('--status <n>', listed(STATUSES), status(STATUSES))
    .action(
      cli.action<[{ bot: string; status?: number }]>(async (context, { bot, status: wanted }) => {
        await namedBots(await context.at('catalog'), [bot]);
        const rows = await payoutsOfBot(await context.at('accounts'), bot, wanted ?? null);
        return { value: rows.map((row) => shown({ ...row, bot })) };
      }),
    );

  noun
    .command('create')
    .description('Create a payout of everything available, one for each unit.')
    .addOption(botOption())
    .requiredOption('--user <id>', 'the referrer', positiveInteger)
    .option('--unit <id>', 'only this unit', positiveInteger)
    .addOption(new Option('--method <method>').choices(['webhook', 'manual']).default('webhook'))
    .action(
      cli.action<[Create]>(async (context, { bot, user, unit, method }) => {
        await existingBot(context.log, bot);
        const accounts = createAccounts(context);
        const key = { bot, userId: user };
        const request = { ...key, unit_id: unit, method, initiated_by: 'admin' } as const;
        const { payout_id, payout_ids, position } = await requestPayout(accounts, request);
        const value = { ...(await rowOf(accounts, key, payout_id)), payout_ids };
        return { value, change: { category: 'account', position } };
      }),
    );

  for (const action of PAYOUT_ACTIONS) {
    const command = noun
      .command(action)
      .description(DESCRIPTIONS[action])
      .requiredOption('--payout <id>', 'the payout', positiveInteger);
    if (action === 'cancel')
      command.option('--force', 'Cancel although the client may know of the payout and may have paid it.');
    command.action(
      cli.action<[{ payout: number; force?: true }]>(async (context, { payout: payoutId, force = false }) => {
        const found = await findPayout(await context.at('accounts'), payoutId);
        if (found === null) throw new CliError(`there is no payout ${payoutId}`);
        const accounts = createAccounts(context);
        const key = { bot: found.bot, userId: found.user_id };
        const { position } = await administerPayout(accounts, { ...key, payoutId, action, force });
        return { value: await rowOf(accounts, key, payoutId), change: { category: 'account', position } };
      }),
    );
  }
}

const DESCRIPTIONS = {
  confirm: 'Record that a manual payout, or one that the client accepted, was paid.',
  fail: 'Record that a payout that the client accepted was not paid.',
  retry: 'Announce a payout now that failed or waits for its next attempt.',
  cancel: 'Cancel a manual or failed payout. Its amount returns to the balance.',
};

/** Reads a payout from the log. */
function rowOf(accounts: Accounts, key: AccountKey, payoutId: number): Promise<object> {
  return accounts.view(key, (state) => shown({ ...state.payouts.get(payoutId)!, bot: key.bot, user_id: key.userId }));
}

function shown(payout: BotPayout): object {
  const { payout_id, bot, user_id, amount, unit_id, status, method, initiated_by, error } = payout;
  const dateOf = (ms: number): string => new Date(ms).toISOString();
  return {
    ...{ payout_id, bot, user_id, amount: exactly(amount), unit_id, status, method, initiated_by },
    requested_at: dateOf(payout.requested_at),
    processed_at: payout.processed_at === null ? null : dateOf(payout.processed_at),
    error,
  };
}

export function webhook(cli: Cli): void {
  const { noun } = cli;

  noun
    .command('set')
    .description('Set the address. Shows the signing secret. It stays the same when the address changes.')
    .addOption(botOption())
    .requiredOption('--url <url>', 'https; http only to WEBHOOK_ALLOWED_NETWORKS')
    .action(
      cli.action<[{ bot: string; url: string }]>(async (context, { bot, url }) => {
        const refused = refusedUrl(url, context.allowedNetworks);
        if (refused !== undefined) throw new CliError(`the url ${refused}`);
        const { secret, position } = await setPayoutWebhook(context, bot, url);
        return { value: { secret }, change: { category: 'webhook', position } };
      }),
    );

  noun
    .command('rotate-secret')
    .description('Replace the signing secret. The previous one also signs for 24 hours.')
    .addOption(botOption())
    .action(
      cli.action<[{ bot: string }]>(async (context, { bot }) => {
        const { secret, position } = await rotatePayoutSecret(context, bot);
        return { value: { secret }, change: { category: 'webhook', position } };
      }),
    );

  noun
    .command('deliveries')
    .description('List every attempt to announce a payout to the client, the latest first.')
    .addOption(botOption())
    .option('--payout <id>', 'only of this payout', positiveInteger)
    .action(
      cli.action<[{ bot: string; payout?: number }]>(async (context, { bot, payout }) => {
        await namedBots(await context.at('catalog'), [bot]);
        return { value: await listDeliveries(await context.at('accounts'), bot, payout) };
      }),
    );
}

import { rotatePayoutSecret, setPayoutWebhook } from '../../commands/referral/payout-webhook.ts';
import { accountsReadModel } from '../../projections/accounts/read-model.ts';
import { listDeliveries } from '../../queries/referral/deliveries.ts';
import { namedBots } from '../catalog/list-of-bots.ts';
import type { Cli } from '../cli.ts';
import { botOption, positiveInteger } from '../values.ts';

export function webhook(cli: Cli): void {
  const { noun } = cli;

  noun
    .command('set')
    .description('Set the address. Shows the signing secret, which stays the same when the address changes.')
    .addOption(botOption())
    .requiredOption('--url <url>', 'https; http only to WEBHOOK_ALLOWED_NETWORKS')
    .action(
      cli.action<[{ bot: string; url: string }]>(async (context, { bot, url }) => {
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
    .option('--payout <id>', 'of this payout alone', positiveInteger)
    .action(
      cli.action<[{ bot: string; payout?: number }]>(async (context, { bot, payout }) => {
        await namedBots(await context.catalog(), [bot]);
        return { value: await listDeliveries(await context.projected(accountsReadModel), bot, payout) };
      }),
    );
}

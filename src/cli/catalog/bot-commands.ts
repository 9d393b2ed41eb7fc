import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { changeBot, createBot, rotateWebhookSecret, textSettings } from '../../commands/catalog/change-bot.ts';
import { listBots } from '../../queries/catalog/bots.ts';
import { type Cli, CliError } from '../command.ts';
import { botOption, flag, positiveInteger } from '../values.ts';

interface Basics {
  readonly username?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly timezone?: string;
}

interface Settings extends Basics {
  readonly name?: string;
  readonly pairSeparator?: string;
  readonly valueSeparator?: string;
  readonly referralNewUsersOnly?: boolean;
  readonly autoPayout?: 'off' | 'daily' | 'weekly' | 'monthly';
  readonly paidBroadcasts?: boolean;
}

export function bot(cli: Cli): void {
  const { noun } = cli;

  withBasics(
    noun.command('create').description('Create a bot.').requiredOption('--owner <id>', 'the owner', positiveInteger),
  )
    .requiredOption('--name <name>')
    .action(
      cli.action<[{ owner: number; name: string } & Basics]>(async (context, { owner, name, ...basics }) => {
        const { token, notes } = await tokenOf(basics);
        const created = await createBot(context, { ownerId: owner, name, ...textSettings({ ...basics, token }) });
        return {
          value: { public_key: created.publicKey, webhook_secret: created.webhookSecret },
          notes,
          change: { category: 'bot', position: created.position },
        };
      }),
    );

  withBasics(noun.command('set').description("Change a bot's settings.").addOption(botOption()))
    .option('--name <name>')
    .option('--pair-separator <text>', 'between the pairs of a start payload')
    .option('--value-separator <text>', 'between key and value of a pair')
    .option('--referral-new-users-only <flag>', 'a visit refers only users first seen by it', flag)
    .addOption(
      new Option('--auto-payout <when>', 'Make payouts automatically.').choices(['off', 'daily', 'weekly', 'monthly']),
    )
    .option('--paid-broadcasts <flag>', 'allow more than 30 messages a second', flag)
    .action(
      cli.action<[{ bot: string } & Settings]>(async (context, { bot, ...settings }) => {
        const { token, notes } = await tokenOf(settings);
        const { position } = await changeBot(context, bot, {
          ...textSettings({ ...settings, token }),
          name: settings.name,
          pair_separator: settings.pairSeparator,
          value_separator: settings.valueSeparator,
          referral_new_users_only: settings.referralNewUsersOnly,
          auto_payout: settings.autoPayout,
          paid_broadcasts: settings.paidBroadcasts,
        });
        return { value: { public_key: bot }, notes, change: { category: 'bot', position, replaces: true } };
      }),
    );

  noun
    .command('rotate-webhook-secret')
    .description("Replace the secret of the platform's webhook.")
    .addOption(botOption())
    .action(
      cli.action<[{ bot: string }]>(async (context, { bot }) => {
        const { webhookSecret, position } = await rotateWebhookSecret(context, bot);
        return {
          value: { public_key: bot, webhook_secret: webhookSecret },
          change: { category: 'bot', position, replaces: true },
        };
      }),
    );

  noun
    .command('list')
    .description('List all bots.')
    .action(cli.action<[]>(async ({ at }) => ({ value: await listBots(await at('catalog')) })));
}

function withBasics(command: Command): Command {
  return command
    .option('--username <name>', "the platform's name of the bot; empty: none")
    .option('--token-file <file>', 'a file with the token of the Bot API; - reads the standard input')
    .option('--token <token>', 'the token itself. Other accounts of the machine can see it; empty: none')
    .option('--timezone <zone>', 'IANA name');
}

/** The token, trimmed, and a warning if other accounts of the machine could read it in the list of OS processes. */
async function tokenOf({ token, tokenFile }: Basics): Promise<{ token: string | undefined; notes: string[] }> {
  if (tokenFile === undefined) return { token, notes: token ? [VISIBLE] : [] };
  if (token !== undefined) throw new CliError('give --token or --token-file, not both');
  try {
    const read = tokenFile === '-' ? await text(process.stdin) : await readFile(tokenFile, 'utf8');
    return { token: read.trim(), notes: [] };
  } catch (error) {
    throw new CliError(`${tokenFile}: ${(error as Error).message}`);
  }
}

const VISIBLE =
  'other accounts of this machine could see the token: give it by --token-file, and let the platform replace it';

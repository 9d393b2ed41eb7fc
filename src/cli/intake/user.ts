import { Option } from 'commander';
import { LosslessNumber } from 'lossless-json';
import { existingBot } from '../../commands/catalog/bots.ts';
import { eraseUser } from '../../commands/intake/erase-user.ts';
import { importUsers } from '../../commands/intake/import-users.ts';
import { readImportedUser } from '../../domain/catalog/imported-user.ts';
import { usersReadModel } from '../../projections/users/read-model.ts';
import { isKnownUser } from '../../queries/intake/known-user.ts';
import type { Cli } from '../cli.ts';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors.ts';
import { botOption, positiveInteger } from '../values.ts';
import { checkUserFile, usersOf } from './user-file.ts';

type FieldType = 'text' | 'number' | 'bool';

interface SetField {
  readonly bot: string;
  readonly user: number;
  readonly name: string;
  readonly value: string;
  readonly type: FieldType;
  readonly force?: true;
}

export function user(cli: Cli): void {
  const { noun } = cli;

  noun
    .command('import')
    .description('Import users from NDJSON or CSV.')
    .addOption(botOption())
    .argument('<file>', 'NDJSON or CSV; columns are user_id and names of fields')
    .action(
      cli.action<[string, { bot: string }]>(async (context, file, { bot }) => {
        await checkUserFile(file);
        const { users, position } = await importUsers(context, bot, usersOf(file));
        return { value: { users }, change: { category: 'intake', position } };
      }),
    );

  noun
    .command('set-field')
    .description('Set a field of a user.')
    .addOption(botOption())
    .requiredOption('--user <id>', 'the user', positiveInteger)
    .requiredOption('--name <field>', 'a field of users, else a custom one')
    .requiredOption('--value <value>')
    .addOption(new Option('--type <type>', 'of a custom field').choices(['text', 'number', 'bool']).default('text'))
    .option('--force', 'Create the user if the bot never had one of this id.')
    .action(
      cli.action<[SetField]>(async (context, { bot, user, name, value, type, force }) => {
        if (name === 'user_id') throw new CliError('user_id cannot be set');
        const columns = [['user_id', user] as const, [name, typed(value, type)] as const];
        const result = readImportedUser(columns, type === 'text' ? 'text' : 'json');
        if (!('user_id' in result)) throw new CliError(result[0]!.message);
        if (force !== true) await requireUser(context, bot, user);
        const { users, position } = await importUsers(context, bot, [result]);
        return { value: { users }, change: { category: 'intake', position } };
      }),
    );

  noun
    .command('erase')
    .description('Erase the personal data of a user, in the log and in every read model.')
    .addOption(botOption())
    .requiredOption('--user <id>', 'the user', positiveInteger)
    .option('--force', 'Erase even if the bot never had this user, for example a member of a group.')
    .action(
      cli.action<[{ bot: string; user: number; force?: true }]>(async (context, { bot, user, force }) => {
        if (force !== true) await requireUser(context, bot, user);
        const { position } = await eraseUser(context, bot, user);
        // For a moment instances may still seal with the forgotten key.
        return { value: { users: 1 }, change: { category: 'intake', position, replaces: true } };
      }),
    );
}

/** @throws Rejection, CliError: most likely the id is mistyped */
async function requireUser(context: CliContext, bot: string, user: number): Promise<void> {
  await existingBot(context.log, bot);
  if (await isKnownUser(await context.projected(usersReadModel), bot, user)) return;
  throw new CliError(`bot ${bot} never had a user ${user}: nothing was done; --force does it all the same`);
}

function typed(value: string, type: FieldType): unknown {
  if (type === 'text') return value;
  if (type === 'number' && /^-?\d+(\.\d+)?$/.test(value)) return new LosslessNumber(value);
  if (type === 'bool' && (value === 'true' || value === 'false')) return value === 'true';
  throw new CliError(`--value must be ${type === 'number' ? 'a decimal number' : 'true or false'}`, 2);
}

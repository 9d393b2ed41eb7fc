import { Option } from 'commander';
import { type IssuedKey, type IssueKey, issueKey, revokeKey, rotateKey } from '../../commands/catalog/keys.ts';
import type { Tables } from '../../database/tables.ts';
import { type KeyKind, keyKind } from '../../domain/catalog/catalog-events.ts';
import { listKeys, listOwners, ownerOfKey } from '../../queries/catalog/owners.ts';
import { type Cli, CliError } from '../command.ts';
import { botsOption, date, duration, positiveInteger } from '../values.ts';

interface IssueOptions {
  readonly owner: number;
  readonly bot?: readonly string[];
  readonly allBots?: boolean;
  readonly kind: KeyKind;
  readonly name?: string;
  readonly expires?: number;
}

const DEFAULT_OVERLAP = '24h';

export function key(cli: Cli): void {
  const { noun } = cli;

  noun
    .command('issue')
    .description('Issue an API key. Its value is shown once.')
    .requiredOption('--owner <id>', 'the owner', positiveInteger)
    .addOption(botsOption().conflicts('allBots'))
    .option('--all-bots', 'all bots of the owner, later ones too')
    .addOption(
      new Option('--kind <kind>', 'service: of a program; personal: of a person; owner: also changes settings')
        .choices(keyKind.options)
        .default('service'),
    )
    .option('--name <name>')
    .option('--expires <date>', "YYYY-MM-DD (that day's end, UTC) or RFC 3339", date)
    .action(
      cli.action<[IssueOptions]>(async (context, { owner, bot, allBots, kind, name, expires }) => {
        const bots: IssueKey['bots'] | undefined = allBots === true ? 'all' : bot;
        if (bots === undefined) throw new CliError('either --bot or --all-bots is needed', 2);
        const command = { ownerId: owner, bots, kind, name: name ?? null, expiresAt: expires ?? null };
        return shown(await issueKey(context, command), false);
      }),
    );

  noun
    .command('revoke')
    .description('Revoke an API key, and the keys that it made by rotating itself. They stop working within 2 s.')
    .requiredOption('--key <id>', 'the key', positiveInteger)
    .action(
      cli.action<[{ key: number }]>(async (context, { key }) => {
        const ownerId = await ownerOf(await context.at('catalog'), key);
        const { position } = await revokeKey(context, { ownerId, keyId: key });
        return { value: { key_id: key }, change: { category: 'owner', position, replaces: true } };
      }),
    );

  noun
    .command('rotate')
    .description('Issue a new key in place of another. The old key works until the overlap ends.')
    .requiredOption('--key <id>', 'the key', positiveInteger)
    .addOption(
      new Option('--overlap <duration>', 'how long the old key keeps working')
        .argParser(duration)
        .default(duration(DEFAULT_OVERLAP), DEFAULT_OVERLAP),
    )
    .action(
      cli.action<[{ key: number; overlap: number }]>(async (context, { key, overlap }) => {
        const ownerId = await ownerOf(await context.at('catalog'), key);
        return shown(await rotateKey(context, { ownerId, keyId: key, overlap }), true);
      }),
    );

  noun
    .command('list')
    .description('List the keys of an owner.')
    .requiredOption('--owner <id>', 'the owner', positiveInteger)
    .action(
      cli.action<[{ owner: number }]>(async (context, { owner }) => {
        const catalog = await context.at('catalog');
        const known = await listOwners(catalog);
        if (!known.some(({ owner_id }) => owner_id === owner)) throw new CliError(`there is no owner ${owner}`);
        const keys = (await listKeys(catalog, owner, context.sources.now())).toReversed();
        return { value: keys.map((each) => ({ ...each, bots: each.bots ?? 'all' })) };
      }),
    );
}

function shown({ keyId, apiKey, position }: IssuedKey, replaces: boolean) {
  return { value: { key_id: keyId, api_key: apiKey }, change: { category: 'owner', position, replaces } };
}

async function ownerOf(catalog: Tables<'catalog'>, keyId: number): Promise<number> {
  const ownerId = await ownerOfKey(catalog, keyId);
  if (ownerId === null) throw new CliError(`there is no key ${keyId}`);
  return ownerId;
}

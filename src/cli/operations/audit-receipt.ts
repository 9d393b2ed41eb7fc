import { readFile } from 'node:fs/promises';
import { checkReceipt, NoReceiptError } from '../../administration/proof/check-receipt.ts';
import { readCheckpointKeys } from '../../administration/proof/key-file.ts';
import { utcDate } from '../../domain/local-time.ts';
import { parseVerifier } from '../../proof/signed-note.ts';
import { systemSources } from '../../util/system-sources.ts';
import { type Answer, type Cli, type CliContext, CliError } from '../command.ts';

/** `botledger audit receipt` (decisions.md#receipts). */
export function receipt(cli: Cli): void {
  cli.noun
    .command('receipt')
    .description('Check whether the promise of a receipt of intake is kept: the signed trees have the commit.')
    .argument('<file>', 'the receipt, a signed note')
    .option('--log-key <verifier key...>', 'verifier keys of the log that were replaced')
    .action(cli.action<[string, { readonly logKey?: readonly string[] }]>(check));
}

async function check(
  context: CliContext,
  file: string,
  { logKey: formerKeys = [] }: { readonly logKey?: readonly string[] },
): Promise<Answer> {
  if (context.checkpointKey === undefined) throw new CliError('there are no receipts without PROOF=on');
  if (formerKeys.some((key) => parseVerifier(key) === null))
    throw new CliError('--log-key is no verifier key of a log');
  const keys = await readCheckpointKeys(context.checkpointKey);
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new CliError(`failed to read ${file}: ${error.message}`);
  });
  const { pool } = context;
  const checked = await checkReceipt({ pool, keys, formerKeys, now: systemSources.now }, text).catch(
    (error: unknown) => {
      throw error instanceof NoReceiptError ? new CliError(error.message) : error;
    },
  );
  const { at, dueAt, leaf, ...rest } = checked;
  const value = { ...rest, at: utcDate(at), due_at: utcDate(dueAt), ...(leaf ?? {}) };
  if (checked.state !== 'broken') return { value };
  return { value, failure: new CliError('the promise is broken: no signed tree has the commit, and its time is over') };
}

import { commitsDone } from '../../administration/work-progress.ts';
import { beginRecovery, recoveryState } from '../../commands/operations/recover.ts';
import { CATEGORIES } from '../../domain/streams.ts';
import { type BackedUp, restore, totalsOf } from '../../log/backup.ts';
import { type Cli, type CliContext, CliError } from '../command.ts';
import { refuseService } from './refuse-service.ts';

/**
 * A restore fills a new installation. Its embedded database must never have been started: a start would create the
 * demo's owner.
 */
const CREATES_DATABASE = { mayCreateDatabase: true };

/** Printed after a restore, since the service pays and sends nothing before these steps. */
const NEXT_STEPS =
  'Payouts and broadcasts wait. Start the service, compare its payouts with the client (botledger recovery payouts), then: botledger recovery end.';

export function restoreCommand(cli: Cli): void {
  cli.noun.argument('<file>', 'what backup made').action(
    cli.action<[string]>(async (context, file) => {
      await refuseService(context);
      const value = (await restoredBefore(context, file)) ?? (await restoreFrom(context, file));
      return { value, notes: [NEXT_STEPS] };
    }, CREATES_DATABASE),
  );
}

async function restoreFrom(context: CliContext, file: string): Promise<BackedUp> {
  const { log, progress, signal } = context;
  const onProgress = commitsDone(progress, 'restoring');
  const restored = await restore({ file, to: log, categories: CATEGORIES, signal, onProgress });
  await beginRecovery(context, restored.hash);
  return restored;
}

/**
 * The totals of the file, if the log was restored from it and the service was not released since. Null: the log was not
 * restored.
 * @throws CliError the log was restored from another file
 */
async function restoredBefore({ log }: CliContext, file: string): Promise<BackedUp | null> {
  const { last, isOpen } = await recoveryState(log);
  if (!isOpen || last === null) return null;
  const totals = await totalsOf(file);
  if (totals.hash === last.backup) return totals;
  throw new CliError('the log is being recovered from another restore: take a new database or DATA_DIR');
}

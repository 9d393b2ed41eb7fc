import { auditLog, type LogFinding } from '../log/audit.ts';
import type { ReadModel } from '../projections/read-model.ts';
import { BadCommitError } from '../projections/runtime/apply.ts';
import { verify } from '../projections/runtime/verify.ts';
import { servedOf, versionsOf } from '../projections/runtime/versions.ts';
import { type AccountFinding, auditAccounts, isOfTheLog } from './audit-accounts.ts';
import type { Answer } from './cli.ts';
import type { CliContext } from './context.ts';
import { CliError } from './errors.ts';

interface ReadModelFinding {
  readonly kind: 'read model';
  readonly stream: null;
  readonly revision: null;
  readonly message: string;
}

type Finding = LogFinding | AccountFinding | ReadModelFinding;

/** So many are listed; all are counted. */
const LISTED = 1000;

/**
 * The proof of the ledger: chains, accounts, and, unless it is about one bot, read models against a replay. What is found
 * is an answer, and makes the command fail.
 */
export async function verifyLedger(context: CliContext, bot: string | undefined): Promise<Answer> {
  const { log, pool, signal, progress } = context;
  context.giveWay();
  const found: Finding[] = [];
  let count = 0;
  const take = async (findings: AsyncIterable<Finding>): Promise<void> => {
    for await (const finding of findings) if (++count <= LISTED) found.push(finding);
  };
  await take(
    auditLog({
      log,
      pool,
      key: bot,
      signal,
      onProgress: (done, total) => progress(`${done} of ${total} commits`),
    }),
  );
  await take(auditAccounts(context, bot, (accounts) => progress(`${accounts} accounts`)));
  if (bot === undefined) await take(auditReadModels(context));
  progress(null);
  if (count === 0) return { value: found };
  const message = count > LISTED ? `${count} findings, of which the first ${LISTED} are listed` : `${count} findings`;
  return { value: found, failure: new CliError(message) };
}

async function* auditReadModels(context: CliContext): AsyncGenerator<ReadModelFinding> {
  for (const model of await context.readModels()) {
    context.progress(`replaying ${model.name}`);
    for (const message of await differencesOf(context, model))
      yield { kind: 'read model', stream: null, revision: null, message };
  }
}

async function differencesOf(context: CliContext, model: ReadModel): Promise<string[]> {
  const version = servedOf(await versionsOf(context.pool, model));
  if (version === null) throw new CliError(`${model.name} has not been built yet`);
  const name = `${model.name} version ${version.version}`;
  try {
    return (await verify(context.projector(model), version)).map(
      ({ table, rows, rowsOfReplay }) =>
        `${name}: ${table} differs from a replay of the log: it has ${rows} rows, the replay has ${rowsOfReplay}`,
    );
  } catch (error) {
    if (!(error instanceof BadCommitError) && !isOfTheLog(error)) throw error;
    return [`${name} cannot be compared with a replay of the log: ${error.message}`];
  }
}

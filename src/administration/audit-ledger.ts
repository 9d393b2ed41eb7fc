import { type AuditedLog, auditLog, type LogFinding } from '../log/audit.ts';
import type { ReadModel } from '../projections/read-model.ts';
import { BadCommitError } from '../projections/runtime/apply.ts';
import { verify } from '../projections/runtime/verify.ts';
import { servedOf, versionsOf } from '../projections/runtime/versions.ts';
import { type AccountFinding, auditAccounts, isBadCommit } from './audit-accounts.ts';
import type { LongWorkContext } from './context.ts';
import { commitsDone, span, watchOf } from './progress.ts';
import { notBuilt } from './versions.ts';

interface ReadModelFinding {
  readonly kind: 'read model';
  readonly stream: null;
  readonly revision: null;
  readonly message: string;
}

export type Finding = LogFinding | AccountFinding | ReadModelFinding;

/** At most so many findings are listed; all are counted. */
const MAX_LISTED = 1000;

export interface AuditedLedger {
  /** The first findings. */
  readonly findings: readonly Finding[];
  /** All findings, also those that are not listed. */
  readonly count: number;
  /** The amounts of things that were checked, and how long it took. */
  readonly note: string;
}

/** Verifies hash chains, accounts and, unless a bot is named, read models against a replay. */
export async function auditLedger(context: LongWorkContext, bot: string | undefined): Promise<AuditedLedger> {
  const { log, pool, signal, progress } = context;
  const begun = performance.now();
  const found: Finding[] = [];
  let count = 0;
  const collect = async (findings: AsyncIterable<Finding>): Promise<void> => {
    for await (const finding of findings) if (++count <= MAX_LISTED) found.push(finding);
  };
  const checked: Checked = { commits: 0, heads: 0, accounts: 0, tables: 0, models: 0 };
  const onEnd = (audited: AuditedLog): void => void Object.assign(checked, audited);
  await collect(auditLog({ log, pool, key: bot, signal, onProgress: commitsDone(progress, 'walking the log'), onEnd }));
  const onAccount = (done: number, total: number): void => {
    checked.accounts = done;
    progress({ what: 'checking accounts', done, total, unit: 'accounts' });
  };
  await collect(auditAccounts(context, bot, onAccount));
  if (bot === undefined) await collect(auditReadModels(context, checked));
  const note = `looked at ${inWords(checked)} in ${span((performance.now() - begun) / 1000)}`;
  return { findings: found, count, note };
}

/** How much an audit has checked. */
interface Checked {
  commits: number;
  heads: number;
  accounts: number;
  tables: number;
  models: number;
}

function inWords({ commits, heads, accounts, tables, models }: Checked): string {
  const ofLog = `${commits} commits, ${heads} heads of streams, ${accounts} accounts`;
  return models === 0 ? ofLog : `${ofLog}, ${tables} tables of ${models} read models`;
}

async function* auditReadModels(context: LongWorkContext, checked: Checked): AsyncGenerator<ReadModelFinding> {
  for (const model of await context.readModels()) {
    for (const message of await differencesOf(context, model, checked))
      yield { kind: 'read model', stream: null, revision: null, message };
  }
}

async function differencesOf(context: LongWorkContext, model: ReadModel, checked: Checked): Promise<string[]> {
  const version = servedOf(await versionsOf(context.pool, model));
  if (version === null) throw notBuilt(model);
  const name = `${model.name} version ${version.version}`;
  try {
    const verified = await verify(context.projector(model), version, watchOf(context.progress, model.name));
    checked.models++;
    checked.tables += verified.tables;
    return verified.differences.map(
      ({ table, rows, rowsOfReplay }) =>
        `${name}: ${table} differs from a replay of the log: it has ${rows} rows, the replay has ${rowsOfReplay}`,
    );
  } catch (error) {
    if (!(error instanceof BadCommitError) && !isBadCommit(error)) throw error;
    return [`${name} cannot be compared with a replay of the log: ${error.message}`];
  }
}

import { type AuditedLog, auditLog, type LogFinding } from '../log/log-audit.ts';
import { type Manifest, ofShape } from '../projections/read-model.ts';
import { BadCommitError } from '../projections/runtime/bad-commit.ts';
import { servedVersion } from '../projections/runtime/served-version.ts';
import { QuarantinedError, verify } from '../projections/runtime/verify.ts';
import { counted } from '../util/counted.ts';
import type { LongWorkContext } from './administration-context.ts';
import { type AccountFinding, auditAccounts, isBadCommit } from './audit-accounts.ts';
import { auditTrees, type ProofFinding } from './proof/audit-trees.ts';
import { auditWitnesses } from './proof/audit-witnesses.ts';
import { readCheckpointKeys, readWitnessPolicy } from './proof/key-file.ts';
import { notBuilt } from './version-work.ts';
import { commitsDone, span, watchOf } from './work-progress.ts';

interface ReadModelFinding {
  readonly kind: 'read model';
  readonly stream: null;
  readonly revision: null;
  readonly message: string;
}

type Finding = LogFinding | AccountFinding | ReadModelFinding | ProofFinding;

/** At most so many findings are listed; all are counted. */
const MAX_LISTED = 1000;

export interface AuditedLedger {
  /** The first findings. */
  readonly findings: readonly Finding[];
  /** All findings, also unlisted ones. */
  readonly count: number;
  /** The amounts of things that were checked, and how long it took. */
  readonly note: string;
}

/**
 * Verifies hash chains and accounts. Unless a bot is named, also compares the log with its signed checkpoints, and read models
 * with a replay. The parts run side by side: while one waits for the database, another checks.
 */
export async function auditLedger(context: LongWorkContext, bot: string | undefined): Promise<AuditedLedger> {
  const begun = performance.now();
  const checked: Checked = { commits: 0, heads: 0, accounts: 0, tables: 0, models: 0, witnesses: [] };
  const lists = await together(context, [
    (part) => listed(findingsOfLog(part, bot, checked)),
    ...(bot === undefined ? [(part: LongWorkContext) => listed(findingsOfReadModels(part, checked))] : []),
    ...(bot === undefined ? [(part: LongWorkContext) => listed(findingsOfTrees(part, checked))] : []),
  ]);
  const looked = `looked at ${inWords(checked)} in ${span((performance.now() - begun) / 1000)}`;
  const note = [looked, ...checked.witnesses].join('; ');
  const findings = lists.flatMap((list) => list.findings).slice(0, MAX_LISTED);
  return { findings, count: lists.reduce((sum, { count }) => sum + count, 0), note };
}

/** Works side by side. If one fails, the others are stopped, and it is thrown when all have ended. */
async function together<T>(
  context: LongWorkContext,
  works: readonly ((part: LongWorkContext) => Promise<T>)[],
): Promise<T[]> {
  const ending = new AbortController();
  const signal = AbortSignal.any([context.signal, ending.signal]);
  const projector: LongWorkContext['projector'] = async (model) => ({
    ...(await context.projector(model)),
    signal,
  });
  const running = works.map((work) =>
    work({ ...context, signal, projector }).catch((error: unknown) => {
      ending.abort(error);
      throw error;
    }),
  );
  await Promise.allSettled(running);
  return Promise.all(running);
}

async function listed(
  found: AsyncIterable<Finding>,
): Promise<{ readonly findings: readonly Finding[]; readonly count: number }> {
  const findings: Finding[] = [];
  let count = 0;
  for await (const finding of found) if (++count <= MAX_LISTED) findings.push(finding);
  return { findings, count };
}

/** The chains, then the accounts. */
async function* findingsOfLog(
  context: LongWorkContext,
  bot: string | undefined,
  checked: Checked,
): AsyncGenerator<Finding> {
  const { log, pool, signal, progress } = context;
  const onEnd = (audited: AuditedLog): void => void Object.assign(checked, audited);
  yield* auditLog({ log, pool, key: bot, signal, onProgress: commitsDone(progress, 'walking the log'), onEnd });
  const onAccount = (done: number, total: number): void => {
    checked.accounts = done;
    progress({ what: 'checking accounts', done, total, unit: 'accounts' });
  };
  yield* auditAccounts(context, bot, onAccount);
}

/** The signed checkpoints, if the service makes them. */
async function* findingsOfTrees(
  { log, signal, progress, checkpointKey, witnessPolicy }: LongWorkContext,
  checked: Checked,
): AsyncGenerator<Finding> {
  if (checkpointKey === undefined) return;
  const keys = await readCheckpointKeys(checkpointKey);
  yield* auditTrees({ log, keys, signal, onProgress: commitsDone(progress, 'hashing the log') });
  const policy = await readWitnessPolicy(witnessPolicy, keys);
  const onWitness = (sentence: string): void => void checked.witnesses.push(sentence);
  if (policy !== null) yield* auditWitnesses({ log, policy, signal, onWitness });
}

/** How much an audit has checked. */
interface Checked {
  commits: number;
  heads: number;
  accounts: number;
  tables: number;
  models: number;
  /** A sentence about each witness. */
  readonly witnesses: string[];
}

function inWords({ commits, heads, accounts, tables, models }: Checked): string {
  const ofLog = `${counted(commits, 'commit')}, ${counted(heads, 'head')} of streams, ${counted(accounts, 'account')}`;
  return models === 0 ? ofLog : `${ofLog}, ${counted(tables, 'table')} of ${counted(models, 'read model')}`;
}

/** Replays at once: one reads and opens commits while the database writes the commits of another. */
const AT_ONCE = 2;

/** In the order of the read models. */
async function* findingsOfReadModels(context: LongWorkContext, checked: Checked): AsyncGenerator<ReadModelFinding> {
  const models = context.manifests;
  const differences: string[][] = [];
  // A read model that reads much begins early: `events` takes as long as the others together.
  const waiting = [...models.entries()].sort(([, a], [, b]) => b.categories.length - a.categories.length);
  const replayAll = async (part: LongWorkContext): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      differences[next[0]] = await differencesOf(part, next[1], checked);
  };
  await together(
    context,
    Array.from({ length: AT_ONCE }, () => replayAll),
  );
  for (const message of differences.flat()) yield { kind: 'read model', stream: null, revision: null, message };
}

async function differencesOf(context: LongWorkContext, model: Manifest, checked: Checked): Promise<string[]> {
  const version = await servedVersion(context.pool, model);
  if (version === null) throw notBuilt(model);
  const name = `${model.name} version ${version.version}`;
  try {
    const options = await context.projector(model);
    const ofVersion = { ...options, model: ofShape(options.model, version.shape)! };
    const verified = await verify(ofVersion, version, watchOf(context.progress, model.name));
    checked.models++;
    checked.tables += verified.tables;
    return verified.differences.map(
      ({ table, rows, rowsOfReplay }) =>
        `${name}: ${table} differs from a replay of the log: it has ${counted(rows, 'row')}, the replay has ${rowsOfReplay}`,
    );
  } catch (error) {
    const isFound = error instanceof BadCommitError || error instanceof QuarantinedError || isBadCommit(error);
    if (!isFound) throw error;
    return [`${name} cannot be compared with a replay of the log: ${error.message}`];
  }
}

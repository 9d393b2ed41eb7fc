import { decideDeadLetter } from '../../commands/operations/decide-dead-letter.ts';
import { isHeld } from '../../database/lease.ts';
import { hasPassed } from '../../log/port.ts';
import { schemaOf } from '../../projections/read-model.ts';
import { loadCheckpoint } from '../../projections/runtime/checkpoint.ts';
import {
  askRetry,
  type DeadLetter,
  type LetterName,
  letterId,
  listDeadLetters,
  parseLetterId,
  removeDeadLetter,
} from '../../projections/runtime/dead-letters.ts';
import { followVersion } from '../../projections/runtime/follow.ts';
import { allVersions, findVersion, leaseOf, setError } from '../../projections/runtime/versions.ts';
import { pause } from '../../util/pause.ts';
import { type Cli, type CliContext, CliError, ReadModelWaitTimeoutError } from '../command.ts';

/** A row of `dead-letter list`. */
interface Row {
  readonly id: string;
  readonly projection: string;
  readonly version: number;
  readonly stream: string;
  readonly position: string;
  /** Whether the read model waits at the commit. If false, it has skipped it. */
  readonly blocking: boolean;
  /** When the read model failed to apply the commit, ISO 8601. */
  readonly at: string;
  readonly error: string;
}

export function deadLetter(cli: Cli): void {
  const { noun } = cli;

  noun
    .command('list')
    .description('List every commit that a read model stopped at or dead-lettered.')
    .action(cli.action<[object]>(async (context) => ({ value: await rows(context) })));

  noun
    .command('retry')
    .description('Apply the commit again. The log records the decision.')
    .argument('<id>')
    .action(cli.action<[string]>(async (context, id) => ({ value: await decide(context, id, null) })));

  noun
    .command('skip')
    .description('Skip the commit, now and in every replay. The log records the decision.')
    .argument('<id>')
    .requiredOption('--reason <text>')
    .action(
      cli.action<[string, { reason: string }]>(async (context, id, { reason }) => ({
        value: await decide(context, id, reason),
      })),
    );
}

async function rows({ pool }: CliContext): Promise<Row[]> {
  const found: Row[] = [];
  for (const { name, version } of await allVersions(pool)) {
    const schema = schemaOf(name, version);
    for (const { commit, blocking, at, error } of await listDeadLetters(pool, schema))
      found.push({
        id: letterId(schema, commit.id),
        projection: name,
        version,
        stream: commit.stream,
        position: commit.position,
        blocking,
        at: at.toISOString(),
        error,
      });
  }
  return found;
}

async function decide(context: CliContext, id: string, skipFor: string | null): Promise<object> {
  const named = parseLetterId(id);
  const letter = named === null ? undefined : await find(context, named);
  if (named === null || letter === undefined) throw new CliError(`there is no dead letter ${id}`);
  const { name, version, commitId } = named;
  await decideDeadLetter(context, name, { commit_id: commitId, version, error: letter.error }, skipFor);
  if (skipFor !== null) await skipInEveryVersion(context, named);
  else {
    if (letter.blocking) await resumeVersion(context, named);
    else await askRetry(context.pool, name, version, commitId);
    await waitForOutcome(context, named, letter);
  }
  return { id, [skipFor === null ? 'retried' : 'skipped']: true };
}

/** Removes the dead letter from every version. A version that waits at the commit resumes and skips it. */
async function skipInEveryVersion(context: CliContext, { name, commitId }: LetterName): Promise<void> {
  for (const { version } of (await allVersions(context.pool)).filter((each) => each.name === name)) {
    const letter = await find(context, { name, version, commitId });
    if (letter?.blocking) await resumeVersion(context, { name, version, commitId });
    else if (letter !== undefined) await removeDeadLetter(context.pool, schemaOf(name, version), commitId);
  }
}

/** Makes a version that waits at the commit resume. It retries the commit, or skips it if that was decided. */
async function resumeVersion({ pool }: CliContext, { name, version, commitId }: LetterName): Promise<void> {
  await removeDeadLetter(pool, schemaOf(name, version), commitId);
  await setError(pool, name, version, null);
}

async function find({ pool }: CliContext, { name, version, commitId }: LetterName): Promise<DeadLetter | undefined> {
  if ((await findVersion(pool, name, version)) === null) return undefined;
  return (await listDeadLetters(pool, schemaOf(name, version))).find(({ commit }) => commit.id === commitId);
}

const OUTCOME_MS = 10_000;
const POLL_MS = 100;

/**
 * Waits until the version has applied the commit or failed again. While no service follows the version, the command
 * does.
 * @throws CliError if the version failed again
 */
async function waitForOutcome(context: CliContext, named: LetterName, { commit, blocking }: DeadLetter): Promise<void> {
  const { pool } = context;
  const { name, version } = named;
  const model = (await context.readModels()).find((each) => each.name === name);
  const stopping = new AbortController();
  const following =
    model === undefined || (await isHeld(pool, leaseOf(name, version)))
      ? null
      : followVersion({ ...context.projector(model), version, signal: stopping.signal });
  try {
    const deadline = performance.now() + OUTCOME_MS;
    for (;;) {
      const letter = await find(context, named);
      if (letter !== undefined && !letter.retry) throw new CliError(`it was refused again: ${letter.error}`);
      const passed = async () => hasPassed(await loadCheckpoint(pool, schemaOf(name, version)), commit.position);
      if (letter === undefined && (!blocking || (await passed()))) return;
      if (performance.now() > deadline) throw new ReadModelWaitTimeoutError(OUTCOME_MS / 1000);
      await pause(POLL_MS);
    }
  } finally {
    stopping.abort();
    await following;
  }
}

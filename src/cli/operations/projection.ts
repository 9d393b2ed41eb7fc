import { isHeld } from '../../database/lease.ts';
import { type ReadModel, schemaOf } from '../../projections/read-model.ts';
import { rebuild } from '../../projections/runtime/rebuild.ts';
import { type ProjectionStatus, projectionStatus } from '../../projections/runtime/status.ts';
import { verify } from '../../projections/runtime/verify.ts';
import {
  dropVersion,
  findVersion,
  leaseOf,
  makeLive,
  removeDropped,
  tablesOf,
  type Version,
  versionsOf,
} from '../../projections/runtime/versions.ts';
import { pause } from '../../util/pause.ts';
import { type Answer, type Cli, type CliContext, CliError } from '../command.ts';
import { commitsDone, span, watchOf } from '../progress.ts';
import { positiveInteger } from '../values.ts';

export function projection(cli: Cli): void {
  const { noun } = cli;

  noun
    .command('list')
    .description('List every version of every read model: position, lag, error, and the command to type next.')
    .action(
      cli.action<[object]>(async ({ pool, log, readModels }) => {
        return answerOf(await projectionStatus(pool, log, await readModels()));
      }),
    );

  noun
    .command('rebuild')
    .description('Build the next version of a read model beside the live one. Safe to repeat: it resumes.')
    .argument('[name]', 'the read model')
    .option('--all', 'Rebuild every read model, one after the other.')
    .action(
      cli.action<[string | undefined, { all?: true }]>(async (context, name, { all }) => {
        if ((name === undefined) === (all === undefined)) throw new CliError('name a read model, or say --all', 2);
        await context.yieldToService();
        const rows: ProjectionStatus[] = [];
        const notes: string[] = [];
        for (const model of name === undefined ? await context.readModels() : [await modelOf(context, name)]) {
          const { built, note } = await buildNext(context, model);
          rows.push(await rowOf(context, built));
          notes.push(note);
        }
        return { ...answerOf(all ? rows : rows[0]!), notes };
      }),
    );

  noun
    .command('verify')
    .description('Compare the newest version with a replay of the log: rows and checksums of every table.')
    .argument('<name>')
    .action(
      cli.action<[string]>(async (context, name) => {
        const model = await modelOf(context, name);
        const newest = await newestOf(context, model);
        refuseBuilding(newest);
        await context.yieldToService();
        const watch = watchOf(context.progress, name);
        const { differences, tables } = await verify(context.projector(model), newest, watch);
        if (differences.length > 0) {
          const differing = differences.map(
            ({ table, rows, rowsOfReplay }) => `${table} (${rows} rows, in the replay ${rowsOfReplay})`,
          );
          throw new CliError(
            `${name} version ${newest.version} differs from a replay of the log: ${differing.join(', ')}`,
          );
        }
        const note = `compared ${tables} tables of ${name} version ${newest.version} with a replay of the log`;
        return { ...answerOf(await rowOf(context, newest)), notes: [note] };
      }),
    );

  noun
    .command('switch')
    .description('Make the newest version the one that answers.')
    .argument('<name>')
    .option('--version <number>', 'Switch to this version instead, for example to go back.', positiveInteger)
    .option('--force', 'Switch even if the version was not verified.')
    .action(
      cli.action<[string, { version?: number; force?: true }]>(async (context, name, { version, force }) => {
        const model = await modelOf(context, name);
        const chosen =
          version === undefined ? await newestOf(context, model) : await versionOf(context, model, version);
        refuseBuilding(chosen);
        if (chosen.error !== null && !force)
          throw new CliError(`${name} version ${chosen.version} has stopped: ${chosen.error}`);
        if (!chosen.verified && !force && chosen.state !== 'live')
          throw new CliError(`${name} version ${chosen.version} was not verified: verify it, or say --force`);
        if (!(await makeLive(context.pool, name, chosen.version)))
          throw new CliError(`${name} version ${chosen.version} was dropped before the switch`);
        await context.waitForSwitch();
        return answerOf(await rowOf(context, chosen));
      }),
    );

  noun
    .command('drop')
    .description('Drop a version that does not answer.')
    .argument('<name>')
    .requiredOption('--version <number>', 'which', positiveInteger)
    .action(
      cli.action<[string, { version: number }]>(async (context, name, { version }) => {
        const found = await findVersion(context.pool, name, version);
        if (found === null) throw new CliError(`there is no version ${version} of ${name}`);
        const row = await rowOf(context, found);
        if (!(await dropVersion(context.pool, name, version)))
          throw new CliError(`${name} version ${version} is the live one, or none is: switch first`);
        const followed = (each: number): Promise<boolean> => isHeld(context.pool, leaseOf(name, each));
        const deadline = performance.now() + DROP_WAIT_MS;
        while ((await removeDropped(context.pool, name, followed)) > 0 && performance.now() < deadline)
          await pause(100);
        return answerOf({ ...row, state: 'dropped', next_command: null });
      }),
    );
}

/** Builds the next version of a read model. @returns the version, and a note about the work */
async function buildNext(context: CliContext, model: ReadModel): Promise<{ built: Version; note: string }> {
  const begun = performance.now();
  const show = commitsDone(context.progress, `rebuilding ${model.name}`);
  let commits: number | null = null;
  const built = await rebuild(context.projector(model), (done, total) => {
    commits = done;
    show(done, total);
  });
  const name = `${model.name} version ${built.version}`;
  if (commits === null) return { built, note: `${name} was built before` };
  const { length } = await tablesOf(context.pool, schemaOf(model.name, built.version));
  const seconds = (performance.now() - begun) / 1000;
  return { built, note: `built ${length} tables of ${name} from up to ${commits} commits in ${span(seconds)}` };
}

/** How long the command waits for the projector to stop. After that the projector removes the tables itself. */
const DROP_WAIT_MS = 5000;

async function modelOf(context: CliContext, name: string): Promise<ReadModel> {
  const readModels = await context.readModels();
  const model = readModels.find((each) => each.name === name);
  if (model !== undefined) return model;
  throw new CliError(`there is no read model ${name}; there are ${readModels.map((each) => each.name).join(', ')}`);
}

async function newestOf({ pool }: CliContext, model: ReadModel): Promise<Version> {
  const newest = (await versionsOf(pool, model)).at(-1);
  if (newest === undefined) throw new CliError(`${model.name} has not been built yet`);
  return newest;
}

async function versionOf({ pool }: CliContext, model: ReadModel, version: number): Promise<Version> {
  const found = (await versionsOf(pool, model)).find((each) => each.version === version);
  if (found === undefined)
    throw new CliError(`there is no version ${version} of ${model.name} that this program knows`);
  return found;
}

/** Refuses a version that is still being built, since a check of a part says nothing about the whole. */
function refuseBuilding({ name, version, state }: Version): void {
  if (state === 'building') throw new CliError(`${name} version ${version} is still being built`);
}

async function rowOf(
  { pool, log, readModels }: CliContext,
  { name, version }: Pick<Version, 'name' | 'version'>,
): Promise<ProjectionStatus> {
  const rows = await projectionStatus(pool, log, await readModels());
  return rows.find((row) => row.name === name && row.version === version)!;
}

/** A version, also one that was just dropped. */
type Row = Omit<ProjectionStatus, 'state'> & { readonly state: ProjectionStatus['state'] | 'dropped' };

/**
 * Makes the answer of a command. The field `events` of a lag counts commits, so the text for a person calls it commits.
 */
function answerOf(value: Row | readonly Row[]): Answer {
  const inWords = (row: Row) => ({ ...row, lag: { commits: row.lag.events, seconds: row.lag.seconds } });
  return { value, shown: 'lag' in value ? inWords(value) : value.map(inWords) };
}

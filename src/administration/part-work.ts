import { inTransaction } from '../database/transaction.ts';
import { Rejection } from '../domain/rejection.ts';
import { type Cursor, type Position, partitionOf } from '../log/port.ts';
import type { Manifest } from '../projections/read-model.ts';
import type { BotsOfPart } from '../projections/runtime/rebuild-part.ts';
import { buildsUntilOf, removeLeft } from '../projections/runtime/run-schemas.ts';
import { allVersions, dropTables, type Version } from '../projections/runtime/versions.ts';
import { counted } from '../util/counted.ts';
import type { AdministrationContext, LongWorkContext } from './administration-context.ts';
import { notBuilt, refuseBuilding } from './version-work.ts';
import { commitsDone } from './work-progress.ts';

/** Read models in part: the rows of some bots again, or all rows as of an earlier position. */

/**
 * Builds the rows of some bots of the live version again, in place.
 * @throws Rejection, BadCommitError
 */
export async function buildPart(
  context: LongWorkContext,
  model: Manifest,
  part: BotsOfPart,
): Promise<{ readonly built: Version; readonly note: string }> {
  const live = await liveOf(context, model);
  const { partitions } = context.log;
  if ('partition' in part && part.partition >= partitions) {
    const why = `the log has no partition ${part.partition}; the last is ${partitions - 1}`;
    throw new Rejection('not_found', 'partition', why);
  }
  const { rebuildPart } = await import('../projections/runtime/rebuild-part.ts');
  const show = commitsDone(context.progress, `rebuilding a part of ${model.name}`);
  const { bots, rows } = await rebuildPart(await context.projector(model), live, part, show);
  const name = `${model.name} version ${live.version}`;
  return {
    built: live,
    note: `${name} now has ${counted(rows, 'row')} of ${counted(bots.length, 'bot')}, built from the log again`,
  };
}

/** The live version, of any shape. @throws Rejection there is none */
async function liveOf({ pool }: AdministrationContext, model: Manifest): Promise<Version> {
  const versions = (await allVersions(pool)).filter(({ name }) => name === model.name);
  const live = versions.find(({ state }) => state === 'live');
  if (live !== undefined) return live;
  const newest = versions.at(-1);
  if (newest !== undefined) refuseBuilding(newest);
  throw notBuilt(model);
}

/**
 * Builds a read model as of earlier positions, at most one of each partition; where there is none, up to the log end.
 * @returns the schema, and the positions that it has applied
 * @throws Rejection, BadCommitError
 */
export async function buildUntil(
  context: LongWorkContext,
  model: Manifest,
  positions: readonly Position[],
): Promise<{ readonly schema: string; readonly positions: readonly Position[] }> {
  const until = cursorUntil(await context.log.endCursor(), positions);
  const { rebuildUntil, untilSchemaOf } = await import('../projections/runtime/rebuild-until.ts');
  await rebuildUntil(await context.projector(model), until, commitsDone(context.progress, `building ${model.name}`));
  return { schema: untilSchemaOf(model.name), positions: [...until.values()] };
}

/** @throws Rejection */
function cursorUntil(end: Cursor, positions: readonly Position[]): Cursor {
  const refused = (why: string): Rejection => new Rejection('invalid', 'until', why);
  const form = (position: Position): string => position.replaceAll(/\d/g, '0');
  const until = new Map<number, Position>();
  for (const position of positions) {
    const partition = partitionOf(position);
    const last = end.get(partition);
    if (last === undefined || form(position) !== form(last) || position > last)
      throw refused(`the log has no position ${position}; its last are ${[...end.values()].join(', ')}`);
    const other = until.get(partition);
    if (other !== undefined) throw refused(`${other} and ${position} are of one partition: say one of them`);
    until.set(partition, position);
  }
  return new Map([...end, ...until]);
}

/** Drops what {@link buildUntil} has built. @throws Rejection there is nothing, or it is being built */
export async function dropUntil(
  { pool }: AdministrationContext,
  { name }: Manifest,
): Promise<{ readonly dropped: string }> {
  const { untilSchemaOf } = await import('../projections/runtime/rebuild-until.ts');
  const schema = untilSchemaOf(name);
  if (await removeLeft(pool, buildsUntilOf(name)))
    throw new Rejection(
      'conflict',
      'name',
      `${schema} is being built: wait until that ends, or end it, and run it again`,
    );
  const { rows } = await pool.query<{ found: string | null }>('SELECT to_regnamespace($1)::text AS found', [schema]);
  if (rows[0]!.found === null) throw new Rejection('not_found', 'name', `there is no schema ${schema}`);
  await inTransaction(pool, (tx) => dropTables(tx, schema));
  return { dropped: schema };
}

import { inTransaction } from '../database/transaction.ts';
import { Rejection } from '../domain/rejection.ts';
import { type Position, partitionOf } from '../log/port.ts';
import type { Manifest } from '../projections/read-model.ts';
import type { BotsOfPart } from '../projections/runtime/rebuild-part.ts';
import { dropTables, type Version, versionsOf } from '../projections/runtime/versions.ts';
import type { AdministrationContext, LongWorkContext } from './administration-context.ts';
import { notBuilt } from './version-work.ts';
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
  const live = (await versionsOf(context.pool, model)).find(({ state }) => state === 'live');
  if (live === undefined) throw notBuilt(model);
  if ('partition' in part && part.partition >= context.log.partitions)
    throw new Rejection('not_found', 'partition', `the log has the partitions 0 to ${context.log.partitions - 1}`);
  const { rebuildPart } = await import('../projections/runtime/rebuild-part.ts');
  const show = commitsDone(context.progress, `rebuilding a part of ${model.name}`);
  const { bots, rows } = await rebuildPart(await context.projector(model), live, part, show);
  const name = `${model.name} version ${live.version}`;
  return { built: live, note: `${name} now has ${rows} rows of ${bots.length} bots, built from the log again` };
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
  const end = await context.log.endCursor();
  const until = new Map(end);
  for (const position of positions) {
    const last = end.get(partitionOf(position));
    if (last === undefined || position.length !== last.length || position > last)
      throw new Rejection(
        'invalid',
        'until',
        `the log has no position ${position}; its last are ${[...end.values()].join(', ')}`,
      );
    until.set(partitionOf(position), position);
  }
  const { rebuildUntil, untilSchemaOf } = await import('../projections/runtime/rebuild-until.ts');
  await rebuildUntil(await context.projector(model), until, commitsDone(context.progress, `building ${model.name}`));
  return { schema: untilSchemaOf(model.name), positions: [...until.values()] };
}

/** Drops what {@link buildUntil} has built. @throws Rejection there is nothing */
export async function dropUntil(
  { pool }: AdministrationContext,
  { name }: Manifest,
): Promise<{ readonly dropped: string }> {
  const { untilSchemaOf } = await import('../projections/runtime/rebuild-until.ts');
  const schema = untilSchemaOf(name);
  const { rows } = await pool.query<{ found: string | null }>('SELECT to_regnamespace($1)::text AS found', [schema]);
  if (rows[0]!.found === null) throw new Rejection('not_found', 'name', `there is no schema ${schema}`);
  await inTransaction(pool, (tx) => dropTables(tx, schema));
  return { dropped: schema };
}

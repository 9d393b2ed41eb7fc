import { Rejection } from '../../domain/rejection.ts';
import { type Manifest, type ReadModel, schemaOf } from '../../projections/read-model.ts';
import { allVersions, makeLive, tablesOf, type Version, versionsOf } from '../../projections/runtime/versions.ts';
import type { AdministrationContext, LongWorkContext } from '../administration-context.ts';
import { buildNext, compareNewest, refuseQuarantined } from '../version-work.ts';

/** A read model that a release has changed, in this installation. */
export interface UpgradedReadModel {
  readonly name: string;
  readonly version: number;
  /** The version that answered before; null: none did. */
  readonly former_version: number | null;
  readonly is_live: boolean;
  /** The tables with other numbers of rows than in the former version, at one moment; null: the table is not there. */
  readonly tables: readonly RowsOfTable[];
}

interface RowsOfTable {
  readonly table: string;
  readonly former_rows: number | null;
  readonly rows: number | null;
}

export interface ApplyUpgradeOptions {
  /** False: everything but the switch. */
  readonly switches: boolean;
  /** Gets notes about the work, for a person. */
  readonly note: (line: string) => void;
}

/**
 * Builds, verifies and switches each read model whose tables another release has built. Switches none before all are built and
 * equal a replay of the log. Safe to repeat, also after a kill: it resumes.
 * @throws Rejection a version differs from a replay; RebuildStoppedError, BadCommitError
 */
export async function applyUpgrade(
  context: LongWorkContext,
  { switches, note }: ApplyUpgradeOptions,
): Promise<UpgradedReadModel[]> {
  const upgraded: { readonly model: Manifest; readonly built: Version; readonly former: Version | null }[] = [];
  for (const model of context.manifests) {
    const former = await formerOf(context, model);
    if (former === undefined) continue;
    upgraded.push({ model, former, built: await verified(context, model, note) });
  }
  if (switches) for (const { built } of upgraded) if (built.state !== 'live') await refuseQuarantined(context, built);
  const rows: UpgradedReadModel[] = [];
  for (const { model, built, former } of upgraded)
    rows.push({
      name: model.name,
      version: built.version,
      former_version: former?.version ?? null,
      is_live: switches || built.state === 'live',
      tables: former === null ? [] : await otherRows(context, (await context.projector(model)).model, former, built),
    });
  if (!switches || rows.length === 0) return rows;
  for (const { name, version } of rows)
    if (!(await makeLive(context.pool, name, version)))
      throw new Rejection('conflict', 'version', `${name} version ${version} was dropped before the switch`);
  await context.waitForSwitch();
  return rows;
}

/**
 * The version of another release whose place the version of this release takes.
 * @returns null if none of them has answered; undefined: there is nothing to do, since this release has not changed the read
 * model, or its version is verified and live
 */
async function formerOf({ pool }: AdministrationContext, model: Manifest): Promise<Version | null | undefined> {
  const all = (await allVersions(pool)).filter(({ name }) => name === model.name);
  const others = all.filter(({ shape }) => shape !== model.shape);
  const live = all.find(({ state }) => state === 'live');
  if (others.length === 0 || (live?.shape === model.shape && live.verified)) return undefined;
  const built = others.filter(({ state }) => state !== 'building');
  return built.find(({ state }) => state === 'live') ?? built.at(-1) ?? null;
}

/** The newest version of this release, built and equal to a replay of the log. */
async function verified(context: LongWorkContext, model: Manifest, note: (line: string) => void): Promise<Version> {
  let built = (await versionsOf(context.pool, model)).at(-1);
  if (built === undefined || built.state === 'building') {
    const result = await buildNext(context, model);
    note(result.note);
    built = result.built;
  }
  if (built.verified) return built;
  const { compared, differences, note: comparison } = await compareNewest(context, model);
  note(comparison);
  if (differences.length === 0) return compared;
  const what = `${model.name} version ${compared.version} differs from a replay of the log`;
  throw new Rejection('conflict', 'version', `${what}: ${differences.join(', ')}; nothing was switched`);
}

/**
 * The tables with other numbers of rows, counted in one statement. So a table of both versions counts at one moment. Without
 * derived tables: their rows depend on how commits are cut into batches.
 */
async function otherRows(
  { pool }: AdministrationContext,
  { derived = [], whole = {} }: ReadModel,
  former: Version,
  built: Version,
): Promise<RowsOfTable[]> {
  const [before, after] = [former, built].map(({ name, version }) => schemaOf(name, version)) as [string, string];
  const [tablesBefore, tablesAfter] = [await tablesOf(pool, before), await tablesOf(pool, after)];
  const names = [...new Set([...tablesBefore, ...tablesAfter])].sort().filter((table) => !derived.includes(table));
  const rows = names.map((table) => {
    const count = (schema: string, tables: readonly string[]): string => {
      const from = whole[table]?.(schema) ?? `${schema}.${table}`;
      return tables.includes(table) ? `(SELECT count(*)::float8 FROM ${from} AS f)` : 'NULL::float8';
    };
    return `SELECT '${table}' AS "table", ${count(before, tablesBefore)} AS former_rows, ${count(after, tablesAfter)} AS rows`;
  });
  const { rows: found } = await pool.query<RowsOfTable>(
    `SELECT * FROM (${rows.join(' UNION ALL ')}) AS t WHERE former_rows IS DISTINCT FROM rows`,
  );
  return found;
}

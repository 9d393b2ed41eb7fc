import { recordVersionChange } from '../commands/operations/operator-work.ts';
import { Rejection } from '../domain/rejection.ts';
import { type Manifest, schemaOf } from '../projections/read-model.ts';
import { type BuildChange, controlBuild } from '../projections/runtime/build-control.ts';
import { dropVersion, removeDropped } from '../projections/runtime/drop-version.ts';
import { loadQuarantines } from '../projections/runtime/quarantines.ts';
import { type ProjectionStatus, projectionStatus } from '../projections/runtime/status.ts';
import {
  allVersions,
  isFollowed,
  knownVersions,
  makeLive,
  tablesOf,
  type Version,
  versionsOf,
} from '../projections/runtime/versions.ts';
import { counted } from '../util/counted.ts';
import { pause } from '../util/pause.ts';
import type { AdministrationContext, LongWorkContext } from './administration-context.ts';
import { afterAppend } from './after-append.ts';
import { commitsDone, span, watchOf } from './work-progress.ts';

/** Rebuild, verify, switch and drop versions of read models: for commands, requests and jobs. */

/** The operator who asks by the API, and why; null: a command asks, and its caller has the database anyway. */
export type Asked = { readonly operatorId: number; readonly reason: string } | null;

/** @throws Rejection */
export function modelOf({ manifests }: AdministrationContext, name: string): Manifest {
  const model = manifests.find((each) => each.name === name);
  if (model !== undefined) return model;
  const names = manifests.map((each) => each.name);
  throw new Rejection('not_found', 'name', `there is no read model ${name}; there are ${names.join(', ')}`, names);
}

export function notBuilt({ name }: Manifest): Rejection {
  return new Rejection('conflict', 'name', `${name} has not been built yet`);
}

async function newestOf({ pool }: AdministrationContext, model: Manifest): Promise<Version> {
  const newest = (await versionsOf(pool, model)).at(-1);
  if (newest === undefined) throw notBuilt(model);
  return newest;
}

async function versionOf({ pool }: AdministrationContext, model: Manifest, version: number): Promise<Version> {
  const found = (await knownVersions(pool, model)).find((each) => each.version === version);
  if (found === undefined)
    throw new Rejection(
      'not_found',
      'version',
      `there is no version ${version} of ${model.name} that this program knows`,
    );
  return found;
}

/** Refuses a version that is still being built, since a check of a part says nothing about the whole. */
export function refuseBuilding({ name, version, state }: Version): void {
  if (state === 'building')
    throw new Rejection('conflict', 'version', `${name} version ${version} is still being built`);
}

export async function rowOf(
  { pool, log, manifests }: AdministrationContext,
  { name, version }: Pick<Version, 'name' | 'version'>,
): Promise<ProjectionStatus> {
  const rows = await projectionStatus(pool, log, manifests);
  return rows.find((row) => row.name === name && row.version === version)!;
}

/**
 * Builds the next version of a read model. Safe to repeat: it resumes.
 * @param maxRate the most events a second, which the version keeps; undefined: its limit stays as it is
 * @returns the version, and a note about the work
 * @throws RebuildStoppedError
 */
export async function buildNext(
  context: LongWorkContext,
  model: Manifest,
  maxRate?: number,
): Promise<{ readonly built: Version; readonly note: string }> {
  const begun = performance.now();
  const show = commitsDone(context.progress, `rebuilding ${model.name}`);
  let commits: number | null = null;
  // Programs that only list or switch versions need none of the code that builds and replays them.
  const { rebuild } = await import('../projections/runtime/rebuild.ts');
  const onProgress = (done: number, total: number): void => {
    commits = done;
    show(done, total);
  };
  const built = await rebuild(await context.projector(model), onProgress, maxRate);
  const name = `${model.name} version ${built.version}`;
  if (commits === null) return { built, note: `${name} was built before` };
  const { length } = await tablesOf(context.pool, schemaOf(model.name, built.version));
  const seconds = (performance.now() - begun) / 1000;
  return {
    built,
    note: `built ${counted(length, 'table')} of ${name} from up to ${counted(commits, 'commit')} in ${span(seconds)}`,
  };
}

export interface ComparedVersion {
  readonly compared: Version;
  /** The tables that differ, each with its rows. */
  readonly differences: readonly string[];
  readonly note: string;
}

/** Refuses to compare a version that is not built. @throws Rejection */
export async function comparable(context: AdministrationContext, model: Manifest): Promise<Version> {
  const newest = await newestOf(context, model);
  refuseBuilding(newest);
  return newest;
}

/** Compares the newest version with a replay of the log. @throws Rejection, BadCommitError */
export async function compareNewest(context: LongWorkContext, model: Manifest): Promise<ComparedVersion> {
  const compared = await comparable(context, model);
  const watch = watchOf(context.progress, model.name);
  const { verify } = await import('../projections/runtime/verify.ts');
  const { differences, tables } = await verify(await context.projector(model), compared, watch);
  const name = `${model.name} version ${compared.version}`;
  return {
    compared,
    differences: differences.map(
      ({ table, rows, rowsOfReplay }) => `${table} (${counted(rows, 'row')}, in the replay ${rowsOfReplay})`,
    ),
    note: `compared ${counted(tables, 'table')} of ${name} with a replay of the log`,
  };
}

/** Refuses to switch to a version that lacks commits of a bot. @throws Rejection */
export async function refuseQuarantined({ pool }: AdministrationContext, { name, version }: Version): Promise<void> {
  const [bot] = (await loadQuarantines(pool, schemaOf(name, version))).keys();
  if (bot === undefined) return;
  const lacks = `${name} version ${version} lacks commits of bot ${bot}, which is quarantined`;
  const remedy = `see dead-letter list, or say projection switch ${name} --force`;
  throw new Rejection('conflict', 'version', `${lacks}: ${remedy}`);
}

export interface SwitchRequest {
  readonly name: string;
  /** Default: the newest. */
  readonly version?: number | undefined;
  /** Switch even if the version was not verified, has stopped, or has a quarantined bot. */
  readonly force?: boolean;
}

/**
 * Makes a version the one that answers.
 * @returns its row, when every instance answers from it
 * @throws Rejection; OutcomeUnknownError the log has the switch, and whether the version answers is not known
 */
export async function switchVersion(
  context: AdministrationContext,
  { name, version, force = false }: SwitchRequest,
  asked: Asked,
): Promise<ProjectionStatus> {
  const model = modelOf(context, name);
  const chosen = version === undefined ? await newestOf(context, model) : await versionOf(context, model, version);
  refuseBuilding(chosen);
  const refused = (why: string): Rejection =>
    new Rejection('conflict', 'version', `${name} version ${chosen.version} ${why}`);
  if (chosen.error !== null && !force) throw refused(`has stopped: ${chosen.error}`);
  if (!chosen.verified && !chosen.served && !force && chosen.state !== 'live')
    throw refused('was not verified: verify it, or say --force to the command');
  if (!force && chosen.state !== 'live') await refuseQuarantined(context, chosen);
  return recorded(context, 'version_switched', chosen, asked, async () => {
    if (!(await makeLive(context.pool, name, chosen.version))) throw refused('was dropped before the switch');
    await context.waitForSwitch();
    return rowOf(context, chosen);
  });
}

/**
 * Pauses, resumes or limits the build of a read model's newest version, whichever OS process builds it.
 * @returns its row. A builder follows the change within a second
 * @throws Rejection no version is being built
 */
export async function changeBuild(
  context: AdministrationContext,
  name: string,
  change: BuildChange,
): Promise<ProjectionStatus> {
  const newest = await newestOf(context, modelOf(context, name));
  if (!(await controlBuild(context.pool, newest, change)))
    throw new Rejection('conflict', 'name', `${name} version ${newest.version} is not being built`);
  return rowOf(context, newest);
}

/** How long a drop waits for the projector to stop and for readers of the tables. After that the projector removes the tables itself. */
const DROP_WAIT_MS = 5000;

/** A version, also one that was just dropped. */
export type AnyVersionStatus = Omit<ProjectionStatus, 'state'> & {
  readonly state: ProjectionStatus['state'] | 'dropped';
};

/**
 * Drops a version that does not answer.
 * @returns its last row
 * @throws Rejection; OutcomeUnknownError the log has the drop, and whether it is done is not known
 */
export async function dropOldVersion(
  context: AdministrationContext,
  { name, version }: { readonly name: string; readonly version: number },
  asked: Asked,
): Promise<AnyVersionStatus> {
  const { pool } = context;
  const found = await droppable(context, name, version);
  const row = await rowOf(context, found);
  return recorded(context, 'version_dropped', found, asked, async () => {
    // False: another command has switched since.
    while (!(await dropVersion(pool, name, version))) await droppable(context, name, version);
    const followed = (each: number): Promise<boolean> => isFollowed(pool, name, each);
    const deadline = performance.now() + DROP_WAIT_MS;
    while ((await removeDropped(pool, name, followed)) > 0 && performance.now() < deadline) await pause(100);
    return { ...row, state: 'dropped', next: null };
  });
}

/** @throws Rejection there is no such version, it is live, or no version is */
async function droppable(context: AdministrationContext, name: string, version: number): Promise<Version> {
  const versions = (await allVersions(context.pool)).filter((each) => each.name === name);
  if (versions.length === 0) modelOf(context, name);
  const found = versions.find((each) => each.version === version);
  if (found === undefined) throw new Rejection('not_found', 'version', `there is no version ${version} of ${name}`);
  const live = versions.find(({ state }) => state === 'live');
  if (live !== undefined && live !== found) return found;
  const what = live === found ? `${name} version ${version} is live` : `no version of ${name} is live`;
  throw new Rejection('conflict', 'version', `${what}: switch to another version first`);
}

/** Does the work of a change when the log has the change. A command's change is not recorded. */
async function recorded<T>(
  context: AdministrationContext,
  type: 'version_switched' | 'version_dropped',
  { name, version }: Version,
  asked: Asked,
  work: () => Promise<T>,
): Promise<T> {
  if (asked === null) return work();
  const { operatorId, reason } = asked;
  await recordVersionChange(context, type, { projection: name, version, operator_id: operatorId, reason });
  return afterAppend(work);
}

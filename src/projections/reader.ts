import type pg from 'pg';
import { freshCache } from '../database/fresh-cache.ts';
import type { Tables } from '../database/tables.ts';
import { hasPassedAll, within } from '../log/port.ts';
import { type Manifest, schemaOf } from './read-model.ts';
import type { ReadModelName } from './registry.ts';
import { passedFor } from './runtime/quarantines.ts';
import { servedOf, servedVersion } from './runtime/served-version.ts';
import { knownVersions, type Version } from './runtime/versions.ts';
import { passedBy, progressOf, waitForReadModels } from './runtime/wait-for-read-models.ts';

/** The read model has no version that can answer yet. */
export class ReadModelNotReadyError extends Error {
  override readonly name = 'ReadModelNotReadyError';
}

/** Finds the tables to answer from: for each read model, the schema of the served version. */
export interface Reader {
  /**
   * Returns the pool, and the schema of the served version under the name of each read model. A prepared statement on a
   * schema needs a name that begins with the schema.
   * @throws ReadModelNotReadyError while a read model of these is being built
   */
  at<Name extends ReadModelName>(...names: readonly Name[]): Promise<Tables<Name>>;
  readonly pool: pg.Pool;
}

/** How long a look-up waits until a newly served version has caught up. After that the next look-up tries again. */
const CATCH_UP_MS = 400;

/**
 * Looks up once a second which version of each read model is served. For a second after a switch, some requests still get
 * answers from the former version. That version keeps following the log.
 * After a start the former version is served while it is ahead: a command of this release may have built and switched while the
 * former release ran.
 */
export function createReader(pool: pg.Pool, models: readonly Manifest[], maxWaitMs: number): Reader {
  const byName = new Map(models.map((model) => [model.name, model]));
  const before = new Map<string, Version>();
  const served = freshCache({
    async load(name: string): Promise<Version | null> {
      const model = byName.get(name)!;
      const versions = await knownVersions(pool, model);
      const wanted = servedOf(model, versions);
      const former = versions.find(({ version }) => version === before.get(name)?.version) ?? formerOf(model, versions);
      const now = wanted === null || former === undefined ? wanted : await moved(pool, former, wanted);
      if (now !== null) before.set(name, now);
      return now;
    },
    elapsed: () => performance.now(),
    max: models.length,
    maxWaitMs,
  });
  return {
    pool,
    at: (...names) =>
      tablesOf(pool, names, async (name) => {
        const found = await served(name, true);
        if (found === null) throw new ReadModelNotReadyError(`the read model ${name} is being built, try again`);
        return found;
      }),
  };
}

/**
 * A reader for work outside of requests, which may wait for a read model.
 * @param catchUp resolves when the read model has applied the commits that the work must see; it then has a version
 * that answers
 */
export function createPatientReader(pool: pg.Pool, catchUp: (name: ReadModelName) => Promise<Manifest>): Reader {
  return {
    pool,
    at: (...names) => tablesOf(pool, names, async (name) => (await servedVersion(pool, await catchUp(name)))!),
  };
}

/** The newest built version of the former shape. */
function formerOf({ former }: Manifest, versions: readonly Version[]): Version | undefined {
  return versions.filter(({ shape, state }) => shape === former?.shape && state !== 'building').at(-1);
}

async function tablesOf<Name extends ReadModelName>(
  pool: pg.Pool,
  names: readonly Name[],
  find: (name: Name) => Promise<Version>,
): Promise<Tables<Name>> {
  const schemas = names.map(async (name) => [name, schemaOf(name, (await find(name)).version)] as const);
  return { pool, ...Object.fromEntries(await Promise.all(schemas)) } as Tables<Name>;
}

/**
 * Returns `wanted` if it has applied every commit that `former` has applied, so that no client sees less than before.
 * Otherwise returns `former`.
 */
async function moved(pool: pg.Pool, former: Version, wanted: Version): Promise<Version> {
  if (former.version === wanted.version) return wanted;
  const load =
    ({ name, version }: Version) =>
    () =>
      progressOf(pool, schemaOf(name, version));
  const held = await load(former)();
  const caughtUp = await waitForReadModels([load(wanted)], held.passed, { timeoutMs: CATCH_UP_MS });
  if (caughtUp === null) return former;
  const { quarantined } = caughtUp[0]!;
  const isBehind = [...quarantined].some(
    ([bot, at]) => !hasPassedAll(passedFor(new Map(), at), within(new Set([at.partition]), passedBy(held, bot))),
  );
  return isBehind ? former : wanted;
}

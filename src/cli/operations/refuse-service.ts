import { catalogManifest } from '../../projections/catalog/manifest.ts';
import { isFollowed, knownVersions } from '../../projections/runtime/versions.ts';
import { type CliContext, CliError } from '../command.ts';

/**
 * Refuses work on a log that a service acts on. During a restore the service would act on half a history; at the beginning
 * of a recovery it holds ids in memory.
 * @throws CliError
 */
export async function refuseService({ pool, manifests }: CliContext): Promise<void> {
  // Leaves out the catalog, since this command itself may follow it.
  for (const model of manifests.filter(({ name }) => name !== catalogManifest.name))
    for (const { name, version } of await knownVersions(pool, model))
      if (await isFollowed(pool, name, version)) throw new CliError('a service runs on this log; stop it first');
}

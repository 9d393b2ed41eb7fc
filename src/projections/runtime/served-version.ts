import type { ClientBase, Pool } from 'pg';
import { type Manifest, ofShape, type ShapeManifest, schemaOf } from '../read-model.ts';
import { knownVersions, type Version } from './versions.ts';
import type { SeenVersion } from './watch-versions.ts';

/** The version that answers. */
export interface ServedVersion extends Version {
  readonly schema: string;
  /** The manifest of its shape: the read model's own or the former one. */
  readonly manifest: ShapeManifest;
}

/**
 * The version to answer from: the live one. If the live one has a shape that this program does not know, as during an
 * upgrade, the newest built version of this program's shape, or of the former shape. Null if there is none.
 * @param versions the known versions, oldest first
 */
export function servedOf<V extends Pick<SeenVersion, 'state' | 'shape'>>(
  { shape }: ShapeManifest,
  versions: readonly V[],
): V | null {
  const built = versions.filter(({ state }) => state !== 'building');
  const live = built.find(({ state }) => state === 'live');
  return live ?? built.filter((version) => version.shape === shape).at(-1) ?? built.at(-1) ?? null;
}

/** Looks up the version that answers. Null while the first is being built. */
export async function servedVersion(db: Pool | ClientBase, model: Manifest): Promise<ServedVersion | null> {
  const served = servedOf(model, await knownVersions(db, model));
  if (served === null) return null;
  return { ...served, schema: schemaOf(served.name, served.version), manifest: ofShape(model, served.shape)! };
}

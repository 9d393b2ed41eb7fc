import type pg from 'pg';
import type { Schemas } from '../../database/tables.ts';
import { type Manifest, ofShape, schemaOf } from '../../projections/read-model.ts';
import { loadQuarantines } from '../../projections/runtime/quarantines.ts';
import { servedVersion } from '../../projections/runtime/served-version.ts';
import type { Version } from '../../projections/runtime/versions.ts';

/** The read models that compared answers are made from. */
type AnswerModel = 'catalog' | 'users' | 'events' | 'reports' | 'broadcasts' | 'recipients' | 'referral' | 'accounts';

/** One snapshot of the database, and two versions of a read model in it. */
export interface PinnedReader {
  /** The connection whose transaction has the snapshot. */
  readonly tx: pg.PoolClient;
  /** The statement by which another transaction gets the same snapshot. */
  readonly settings: string;
  /** Bots that one of the versions has quarantined, by public key: it is late for them. */
  readonly late: ReadonlySet<string>;
  /**
   * The schemas for both versions: of the compared read model its two versions, of every other one the version that answers.
   * @throws NotAnsweringError
   */
  at<Name extends AnswerModel>(...names: readonly Name[]): Promise<BothSchemas<Name>>;
}

interface BothSchemas<Name extends string> {
  readonly before: Schemas<Name>;
  readonly after: Schemas<Name>;
}

/** The snapshot, the time and the connections by which a kind of answers is compared. */
export interface AnswerOptions {
  readonly reader: PinnedReader;
  /** Connections for transactions that join the snapshot. */
  readonly pool: pg.Pool;
  /** The time at which both versions answer, milliseconds since 1970 UTC. */
  readonly now: number;
  /** Milliseconds from any start. */
  readonly elapsed: () => number;
  readonly signal: AbortSignal;
  readonly shown: (unit: string, done: number, total: number | null) => void;
  /** Notes answers that are not compared, and why. */
  readonly leaveOut: (why: string) => void;
}

/** A version or a read model cannot answer, so its answers are not compared. */
export class NotAnsweringError extends Error {
  override readonly name = 'NotAnsweringError';
}

/** The two versions to compare. */
export interface ComparedVersions {
  readonly from: Version;
  readonly to: Version;
}

/** @param tx a transaction with one snapshot for all its statements; other transactions can join it until it ends */
export async function pinnedReader(
  tx: pg.PoolClient,
  manifests: readonly Manifest[],
  model: Manifest,
  { from, to }: ComparedVersions,
): Promise<PinnedReader> {
  const { rows } = await tx.query<{ id: string }>('SELECT pg_export_snapshot() AS id');
  const schemas = { before: schemaOf(model.name, from.version), after: schemaOf(model.name, to.version) };
  const late = [await loadQuarantines(tx, schemas.before), await loadQuarantines(tx, schemas.after)];

  async function schemasOf(name: string): Promise<BothSchemas<'of'>> {
    if (name === model.name) {
      const unknown = [from, to].find(({ shape }) => ofShape(model, shape) === undefined);
      if (unknown === undefined) return { before: { of: schemas.before }, after: { of: schemas.after } };
      throw new NotAnsweringError(
        `version ${unknown.version} of ${name} has shape ${unknown.shape}: this release does not answer from it`,
      );
    }
    const served = await servedVersion(tx, manifests.find((each) => each.name === name)!);
    if (served === null) throw new NotAnsweringError(`the read model ${name} has no version that answers`);
    return { before: { of: served.schema }, after: { of: served.schema } };
  }

  return {
    tx,
    settings: `SET TRANSACTION SNAPSHOT '${rows[0]!.id}'`,
    late: new Set(late.flatMap((quarantines) => [...quarantines.keys()])),
    async at<Name extends AnswerModel>(...names: readonly Name[]) {
      const before: Record<string, string> = {};
      const after: Record<string, string> = {};
      for (const name of names) {
        const both = await schemasOf(name);
        before[name] = both.before.of;
        after[name] = both.after.of;
      }
      return { before: before as Schemas<Name>, after: after as Schemas<Name> };
    },
  };
}

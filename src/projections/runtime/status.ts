import type pg from 'pg';
import type { EventLog } from '../../log/port.ts';
import { type ReadModel, schemaOf } from '../read-model.ts';
import { loadCheckpoint } from './checkpoint.ts';
import { listDeadLetters } from './dead-letters.ts';
import { type Deferred, deferredWork } from './deferred-work.ts';
import { lagOf } from './lag.ts';
import { letterId } from './letter-id.ts';
import { processStatus } from './process-status.ts';
import { allVersions, type Version } from './versions.ts';

/** A row of `projection list` (decisions.md#projection-list). */
export interface ProjectionStatus {
  readonly name: string;
  readonly version: number;
  readonly kind: 'read-model' | 'process';
  readonly state: 'live' | 'building' | 'ready' | 'stopped';
  /** The positions of its partitions, joined by commas; null before the first. */
  readonly position: string | null;
  /**
   * Events not yet read (an upper bound) and the age in seconds of the oldest of them, or of the oldest change that is
   * deferred.
   */
  readonly lag: { readonly events: number; readonly seconds: number };
  /** Events that were read and whose rows are still to follow, as those that await revaluation; null: none. */
  readonly deferred: Deferred | null;
  readonly error: string | null;
  /** What to type next: when something is wrong, or to go on with a rebuild. */
  readonly next_command: string | null;
}

/** Every version of the read models, those that do not exist yet as version 1, and the processes. */
export async function projectionStatus(
  pool: pg.Pool,
  log: EventLog,
  models: readonly ReadModel[],
): Promise<ProjectionStatus[]> {
  const versions = await allVersions(pool);
  const known = new Set(versions.map(({ name }) => name));
  const missing = models.filter(({ name }) => !known.has(name));
  const rows = await Promise.all([
    ...versions.map((version) => statusOf(pool, log, version, versions, models).catch(nullIfDropped)),
    ...missing.map((model) => statusOfMissing(log, model)),
  ]);
  const sorted = rows
    .filter((row) => row !== null)
    .sort((a, b) => orderOf(models, a) - orderOf(models, b) || a.version - b.version);
  return [...sorted, ...(await processStatus(pool, log))];
}

/** Somebody dropped the version after it was listed: SQLSTATE 42P01, undefined_table. */
function nullIfDropped(error: unknown): null {
  if ((error as { code?: unknown }).code === '42P01') return null;
  throw error;
}

function orderOf(models: readonly ReadModel[], { name }: ProjectionStatus): number {
  const index = models.findIndex((model) => model.name === name);
  return index < 0 ? models.length : index;
}

async function statusOf(
  pool: pg.Pool,
  log: EventLog,
  found: Version,
  all: readonly Version[],
  models: readonly ReadModel[],
): Promise<ProjectionStatus> {
  const { name, version, shape, state, error } = found;
  const schema = schemaOf(name, version);
  const cursor = await loadCheckpoint(pool, schema);
  const lag = await log.lag(cursor);
  // Tables of another shape are only known to the code that made them.
  const model = models.find((each) => each.name === name && each.shape === shape);
  const work = model === undefined ? null : await deferredWork(pool, model, schema);
  const letters = await listDeadLetters(pool, schema);
  const blocking = letters.find((letter) => letter.blocking);
  const aside = letters.length === 0 ? null : `${letters.length} events set aside, the first: ${letters[0]!.error}`;
  return {
    name,
    version,
    kind: 'read-model',
    state: error === null ? state : 'stopped',
    position: cursor.size === 0 ? null : [...cursor.values()].sort().join(','),
    lag: lagOf({ ...lag, seconds: Math.max(lag.seconds, work?.seconds ?? 0) }),
    deferred: work?.deferred ?? null,
    error: error ?? aside,
    next_command:
      error !== null && blocking !== undefined
        ? `botledger dead-letter retry ${letterId(schema, blocking.commit.id)}`
        : aside !== null
          ? 'botledger dead-letter list'
          : nextStep(found, all),
  };
}

/** How a rebuild goes on. */
function nextStep({ name, version, state, verified }: Version, all: readonly Version[]): string | null {
  const live = all.find((other) => other.name === name && other.state === 'live');
  if (live === undefined || state === 'live') return null;
  if (state === 'building') return `botledger projection rebuild ${name}`;
  if (version < live.version) return `botledger projection drop ${name} --version ${version}`;
  return `botledger projection ${verified ? 'switch' : 'verify'} ${name}`;
}

async function statusOfMissing(log: EventLog, { name }: ReadModel): Promise<ProjectionStatus> {
  const lag = await log.lag(new Map());
  return {
    name,
    version: 1,
    kind: 'read-model',
    state: 'building',
    position: null,
    lag: lagOf(lag),
    deferred: null,
    error: null,
    next_command: null,
  };
}

import type pg from 'pg';
import type { EventLog, Lag, Position } from '../../log/port.ts';
import { type Manifest, ofShape, schemaOf } from '../read-model.ts';
import { loadMeasured } from './build-control.ts';
import { loadCheckpoint } from './checkpoint.ts';
import { type DeadLettersSummary, letterId, summarizeDeadLetters } from './dead-letters.ts';
import { type Deferred, deferredWork } from './deferred-work.ts';
import { type ListedQuarantine, listQuarantines } from './quarantines.ts';
import { allVersions, type Version } from './versions.ts';

/** The next step of an operator with a version: to repair, or to continue a rebuild. */
export type NextStep =
  | { readonly step: 'rebuild' | 'resume' | 'verify' | 'switch' | 'drop' }
  /** The dead letter at which the version waits; null: it waits at none and has skipped some. */
  | { readonly step: 'retry'; readonly letter: string | null };

/** A version of a read model, or a process (decisions.md#projection-list). */
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
  /** Applied events whose rows need deferred work, such as revaluation; null: none. */
  readonly deferred: Deferred | null;
  /** Bots whose commits the version does not apply now, oldest first. `since`: ISO 8601, UTC. */
  readonly quarantined: readonly { readonly bot: string; readonly since: string }[];
  readonly error: string | null;
  /** Null: it is not being built. */
  readonly build: BuildStatus | null;
  readonly next: NextStep | null;
}

/** How a version is being built (decisions.md#build-control). */
interface BuildStatus {
  readonly paused: boolean;
  /** The most events a second; null: no limit. */
  readonly max_rate: number | null;
  /** The number of projectors that build it now: of instances, jobs and commands. */
  readonly builders: number;
  /** Whether one of them pauses since answers are slower or live versions late. */
  readonly backs_off: boolean;
  /** Applied events a second over the last minute at most; null: unknown, or no builder works. */
  readonly events_per_second: number | null;
  /** An estimate of the seconds until it has caught up; null: unknown. */
  readonly seconds_left: number | null;
}

/** Every version of the read models, and the processes. A read model without a version is shown as version 1. */
export async function projectionStatus(
  pool: pg.Pool,
  log: EventLog,
  models: readonly Manifest[],
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

/** The version was dropped after it was listed: SQLSTATE 42P01, undefined_table. */
function nullIfDropped(error: unknown): null {
  if ((error as { code?: unknown }).code === '42P01') return null;
  throw error;
}

function orderOf(models: readonly Manifest[], { name }: ProjectionStatus): number {
  const index = models.findIndex((model) => model.name === name);
  return index < 0 ? models.length : index;
}

async function statusOf(
  pool: pg.Pool,
  log: EventLog,
  found: Version,
  all: readonly Version[],
  models: readonly Manifest[],
): Promise<ProjectionStatus> {
  const { name, version, shape, state, error } = found;
  const schema = schemaOf(name, version);
  const cursor = await loadCheckpoint(pool, schema);
  const lag = await log.lag(cursor);
  // Only a program that knows the shape knows its tables.
  const model = models.find((each) => each.name === name);
  const known = model && ofShape(model, shape);
  const work = known === undefined ? null : await deferredWork(pool, known, schema);
  const letters = await summarizeDeadLetters(pool, schema);
  const quarantined = await listQuarantines(pool, schema);
  return {
    name,
    version,
    kind: 'read-model',
    state: error === null ? state : 'stopped',
    position: cursor.size === 0 ? null : [...cursor.values()].sort().join(','),
    lag: lagOf({ ...lag, seconds: Math.max(lag.seconds, work?.seconds ?? 0) }),
    deferred: work?.deferred ?? null,
    quarantined: quarantined.map(({ bot, since }) => ({ bot, since: since.toISOString() })),
    error: error ?? lacking(letters, quarantined),
    build: state === 'building' ? await buildStatus(pool, found) : null,
    next:
      error !== null && letters.blocking !== null
        ? { step: 'retry', letter: letterId(schema, letters.blocking) }
        : letters.count > 0
          ? { step: 'retry', letter: null }
          : nextStep(found, all, model?.former?.shape),
  };
}

async function buildStatus(pool: pg.Pool, found: Version): Promise<BuildStatus> {
  const measured = await loadMeasured(pool, found);
  const rounded = (value: number | null | undefined): number | null => (value == null ? null : Math.round(value));
  return {
    paused: found.paused,
    max_rate: found.maxRate,
    builders: measured?.builders ?? 0,
    backs_off: measured?.backsOff ?? false,
    events_per_second: rounded(measured?.eventsPerSecond),
    seconds_left: rounded(measured?.secondsLeft),
  };
}

/** Names the quarantined bots or dead letters of a version that has not stopped. */
function lacking(letters: DeadLettersSummary, quarantined: readonly ListedQuarantine[]): string | null {
  const [first] = quarantined;
  if (first !== undefined)
    return `${quarantined.length} bots quarantined, the first: ${first.bot} at ${first.error ?? 'its replay'}`;
  return letters.count === 0 ? null : `${letters.count} dead letters, the first: ${letters.firstError}`;
}

/**
 * The next step of a rebuild.
 * @param formerShape versions of it are kept for a step back
 */
function nextStep(
  { name, version, shape, state, verified, paused }: Version,
  all: readonly Version[],
  formerShape: number | undefined,
): NextStep | null {
  if (paused && state === 'building') return { step: 'resume' };
  const live = all.find((other) => other.name === name && other.state === 'live');
  if (live === undefined || state === 'live' || shape === formerShape) return null;
  if (state === 'building') return { step: 'rebuild' };
  if (version < live.version) return { step: 'drop' };
  return { step: verified ? 'switch' : 'verify' };
}

async function statusOfMissing(log: EventLog, { name }: Manifest): Promise<ProjectionStatus> {
  const lag = await log.lag(new Map());
  return {
    name,
    version: 1,
    kind: 'read-model',
    state: 'building',
    position: null,
    lag: lagOf(lag),
    deferred: null,
    quarantined: [],
    error: null,
    build: null,
    next: null,
  };
}

/** If a process reports nothing for longer, no instance runs it. */
const SILENT = '5 seconds';

interface ProcessRow {
  readonly name: string;
  readonly positions: Readonly<Record<string, Position>>;
  readonly error: string | null;
  readonly runs: boolean;
}

/**
 * The rows of the processes (src/processes/process-states.ts): the position of each, whether an instance runs it, and its
 * failing work.
 */
async function processStatus(pool: pg.Pool, log: EventLog): Promise<ProjectionStatus[]> {
  const { rows } = await pool
    .query<ProcessRow>(
      `SELECT s.name, positions, coalesce(s.error, f.error) AS error,
              seen_at > clock_timestamp() - interval '${SILENT}' AS runs
         FROM processes.states s LEFT JOIN (
           SELECT name, min(subject || ': ' || error)
                        || CASE WHEN count(*) > 1 THEN format(' (and %s more)', count(*) - 1) ELSE '' END AS error
             FROM processes.failures WHERE until > clock_timestamp() GROUP BY name
         ) f USING (name) ORDER BY s.name`,
    )
    .catch(noneIfAbsent);
  return Promise.all(
    rows.map(async ({ name, positions, error, runs }) => {
      const cursor = new Map(Object.entries(positions).map(([partition, position]) => [Number(partition), position]));
      return {
        name,
        version: 1,
        kind: 'process' as const,
        state: runs && error === null ? ('live' as const) : ('stopped' as const),
        position: cursor.size === 0 ? null : [...cursor.values()].sort().join(','),
        lag: lagOf(await log.lag(cursor)),
        deferred: null,
        quarantined: [],
        error: error ?? (runs ? null : 'no running instance has the role of it'),
        build: null,
        next: null,
      };
    }),
  );
}

/** No service has started since the schema was dropped: SQLSTATE 42P01, undefined_table. */
function noneIfAbsent(error: unknown): { rows: ProcessRow[] } {
  if ((error as { code?: unknown }).code === '42P01') return { rows: [] };
  throw error;
}

/** A lag as it is shown: seconds with at most three decimals. */
function lagOf({ commits, seconds }: Lag): { readonly events: number; readonly seconds: number } {
  return { events: commits, seconds: Math.round(seconds * 1000) / 1000 };
}

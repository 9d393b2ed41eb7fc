import { sql } from 'kysely';
import { type SnapshotOptions, snapshot } from '../database/snapshot.ts';
import type { Tables } from '../database/tables.ts';
import { type NextStep, type ProjectionStatus, projectionStatus } from '../projections/runtime/status.ts';
import { allVersions } from '../projections/runtime/versions.ts';
import type { AdministrationContext } from './administration-context.ts';

/** A version of a read model, for the API. */
interface VersionRow extends Omit<ProjectionStatus, 'kind' | 'next'> {
  /** Whether the version answers, also if it has stopped. */
  readonly live: boolean;
  readonly verified: boolean;
  /** Whether the version answered before: a step back needs no comparison. */
  readonly served: boolean;
  readonly next: NextStep['step'] | null;
}

export interface VersionList {
  readonly items: readonly VersionRow[];
  /** All commits of the log, about. */
  readonly commits: number;
}

/** Every version of every read model. */
export async function listVersions({ pool, log, manifests }: AdministrationContext): Promise<VersionList> {
  const [rows, versions, whole] = await Promise.all([
    projectionStatus(pool, log, manifests),
    allVersions(pool),
    log.lag(new Map()),
  ]);
  const items = rows
    .filter(({ kind }) => kind === 'read-model')
    .map(({ kind: _, next, ...row }) => {
      const found = versions.find(({ name, version }) => name === row.name && version === row.version);
      const live = found?.state === 'live';
      return {
        ...row,
        live,
        verified: found?.verified ?? false,
        served: found?.served ?? false,
        next: next?.step ?? null,
      };
    });
  return { items, commits: whole.commits };
}

export interface ProcessRow {
  readonly name: string;
  readonly state: 'live' | 'stopped';
  readonly lag: ProjectionStatus['lag'];
  readonly error: string | null;
  /**
   * The instance that does its work, of several that share it the one with the first partitions; null: none does now. Dates
   * are ISO 8601, UTC.
   */
  readonly lease: { readonly holder: string; readonly expires_at: string } | null;
  /** The instances that share its work. `parts`: how many groups of partitions each has; null: the process is not shared. */
  readonly instances: readonly { readonly holder: string; readonly parts: number | null }[];
  /** Parts of the work that fail, while the rest continues. */
  readonly failures: readonly { readonly subject: string; readonly error: string; readonly until: string }[];
}

/** The background processes, with their leases and failures. */
export async function listProcesses({ pool, log }: AdministrationContext): Promise<ProcessRow[]> {
  const [rows, leases, failures] = await Promise.all([
    projectionStatus(pool, log, []),
    pool.query<{ name: string; holder: string; expires_at: Date; parts: number | null }>(LEASES),
    pool.query<{ name: string; subject: string; error: string; until: Date }>(FAILURES),
  ]);
  return rows
    .filter(({ kind }) => kind === 'process')
    .map(({ name, state, lag, error }) => {
      const own = leases.rows.filter((each) => each.name === `process ${name}`);
      const lease = own[0];
      return {
        name,
        state: state === 'stopped' ? 'stopped' : 'live',
        lag,
        error,
        lease: lease === undefined ? null : { holder: lease.holder, expires_at: lease.expires_at.toISOString() },
        instances: own.map(({ holder, parts }) => ({ holder, parts })),
        failures: failures.rows
          .filter((each) => each.name === name)
          .map((each) => ({ subject: each.subject, error: each.error, until: each.until.toISOString() })),
      };
    });
}

/** The holders of the leases of processes; of shared ones in the order of their first groups of partitions. */
const LEASES = `
  SELECT split_part(name, '/', 1) AS name, holder, min(expires_at) AS expires_at,
         nullif(count(*) FILTER (WHERE name ~ '/'), 0)::int AS parts
    FROM runtime.leases WHERE name ~ '^process [^/]*(/[0-9]+)?$' AND expires_at >= clock_timestamp()
   GROUP BY 1, holder ORDER BY 1, min(nullif(split_part(name, '/', 2), '')::int), holder`;
const FAILURES = `
  SELECT name, subject, error, until FROM processes.failures WHERE until > clock_timestamp() ORDER BY name, subject`;

/** Bot errors of all bots that say the same but for the numbers in them. Dates are ISO 8601, UTC. */
export interface BotErrorGroup {
  readonly kind: string;
  readonly source: string;
  /** The message, with `…` for each number. */
  readonly message: string;
  readonly count: number;
  readonly unresolved: number;
  readonly bots: number;
  readonly last: string;
}

const MAX_GROUPS = 100;

/**
 * Goes through the errors of all bots.
 * @param since milliseconds since 1970 UTC. `events` is the schema of the read model `events`.
 * @throws as `snapshot`
 */
export async function groupBotErrors(
  { pool, events }: Tables<'events'>,
  since: number,
  options: SnapshotOptions,
): Promise<BotErrorGroup[]> {
  const rows = await snapshot(pool, options, ({ query }) =>
    query(sql<Omit<BotErrorGroup, 'last'> & { readonly last: number }>`
      SELECT kind, source, regexp_replace(message, '\\d+', '…', 'g') AS message, count(*)::float8 AS count,
             (count(*) FILTER (WHERE resolved_at IS NULL))::float8 AS unresolved,
             count(DISTINCT bot_id)::float8 AS bots, max(date)::float8 AS last
        FROM ${sql.id(events, 'bot_errors')} WHERE date >= ${since}
       GROUP BY 1, 2, 3 ORDER BY 4 DESC, 3 LIMIT ${MAX_GROUPS}`),
  );
  return rows.map((row) => ({ ...row, last: new Date(row.last).toISOString() }));
}

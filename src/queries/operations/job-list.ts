import { preparedRows, type Tables } from '../../database/tables.ts';
import type { JobFinding, JobKind, JobOutcome } from '../../domain/operations/work-events.ts';
import { PROGRESS_COLUMNS, type StoredProgress, shownProgress, type WorkProgress } from './stored-progress.ts';

/** A job of operators (decisions.md#jobs). Dates are ISO 8601, UTC. */
export interface JobRow {
  readonly job_id: string;
  readonly kind: JobKind;
  readonly projection: string | null;
  readonly bot: string | null;
  readonly user_id: number | null;
  readonly reason: string;
  readonly operator_id: number;
  readonly operator: string;
  readonly requested_at: string;
  /** `waiting`: no instance works on it now. */
  readonly state: 'waiting' | 'running' | JobOutcome;
  /** How far an instance is; null: not begun, or over. */
  readonly progress: WorkProgress | null;
  readonly summary: string | null;
  readonly findings: readonly JobFinding[];
  readonly findings_count: number;
  readonly finished_at: string | null;
}

interface Stored
  extends StoredProgress,
    Omit<JobRow, 'requested_at' | 'finished_at' | 'state' | 'progress' | 'findings'> {
  readonly requested_at: number;
  readonly finished_at: number | null;
  readonly outcome: JobOutcome | null;
  readonly findings: readonly JobFinding[] | null;
}

const columnsOf = (catalog: string): string => `
  SELECT j.job_id, j.kind, j.projection, j.bot, j.user_id::float8, j.reason, j.operator_id::float8, coalesce(o.name, '') AS operator,
         j.requested_at::float8, j.outcome, j.summary, j.findings, coalesce(j.findings_count, 0)::float8 AS findings_count,
         j.finished_at::float8, ${PROGRESS_COLUMNS}
  FROM ${catalog}.jobs AS j LEFT JOIN ${catalog}.operators AS o USING (operator_id) LEFT JOIN runtime.jobs AS p USING (job_id)`;

export interface JobFilter {
  readonly kind?: JobKind | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Newest first. */
export async function listJobs(
  { pool, catalog }: Tables<'catalog'>,
  { kind, limit, offset }: JobFilter,
): Promise<JobRow[]> {
  const rows = await preparedRows<Stored>(
    pool,
    `${catalog}.list_jobs`,
    `${columnsOf(catalog)} WHERE $1::text IS NULL OR j.kind = $1
     ORDER BY j.requested_at DESC, j.job_id LIMIT $2 OFFSET $3`,
    [kind ?? null, limit, offset],
  );
  return rows.map(shown);
}

/** The newest audit of the whole ledger that has ended, of a job or of a command. */
export interface LastAudit {
  readonly outcome: JobOutcome;
  /** Milliseconds since 1970 UTC. */
  readonly finishedAt: number;
}

/** Null: there was none. */
export async function lastAudit({ pool, catalog }: Tables<'catalog'>): Promise<LastAudit | null> {
  const rows = await preparedRows<LastAudit>(
    pool,
    `${catalog}.last_audit`,
    `SELECT outcome, at::float8 AS "finishedAt"
     FROM (SELECT outcome, finished_at AS at FROM ${catalog}.jobs
            WHERE kind = 'audit' AND bot IS NULL AND finished_at IS NOT NULL
           UNION ALL SELECT outcome, at FROM ${catalog}.command_audits) AS audits
     ORDER BY at DESC LIMIT 1`,
    [],
  );
  return rows[0] ?? null;
}

/** @param jobId a UUID */
export async function findJob({ pool, catalog }: Tables<'catalog'>, jobId: string): Promise<JobRow | null> {
  const rows = await preparedRows<Stored>(pool, `${catalog}.find_job`, `${columnsOf(catalog)} WHERE j.job_id = $1`, [
    jobId,
  ]);
  return rows[0] === undefined ? null : shown(rows[0]);
}

function shown({ outcome, running, what, done, total, unit, seconds, ...row }: Stored): JobRow {
  return {
    ...row,
    requested_at: new Date(row.requested_at).toISOString(),
    finished_at: row.finished_at === null ? null : new Date(row.finished_at).toISOString(),
    findings: row.findings ?? [],
    state: outcome ?? (running ? 'running' : 'waiting'),
    progress: outcome === null ? shownProgress({ running, what, done, total, unit, seconds }) : null,
  };
}

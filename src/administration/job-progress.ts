import type pg from 'pg';
import type { Progress } from './administration-context.ts';

/** The progress of jobs, in the schema `runtime`. It is no part of the log: a job that resumes reports again. */

/** Rows of jobs that ended are removed after this time. */
const KEPT = '7 days';

/** Records that an instance begins the job. @returns how often one has, with this time */
export async function beginJob(pool: pg.Pool, jobId: string): Promise<number> {
  await pool.query(`DELETE FROM runtime.jobs WHERE seen_at < clock_timestamp() - interval '${KEPT}'`);
  const { rows } = await pool.query<{ starts: number }>(
    `INSERT INTO runtime.jobs AS j (job_id, starts, begun_at, seen_at) VALUES ($1, 1, clock_timestamp(), clock_timestamp())
     ON CONFLICT (job_id) DO UPDATE SET starts = j.starts + 1, begun_at = excluded.begun_at, seen_at = excluded.seen_at,
       what = NULL, done = NULL, total = NULL, unit = NULL
     RETURNING starts`,
    [jobId],
  );
  return rows[0]!.starts;
}

/** Takes back a start that ended because its instance stops. */
export async function leaveJob(pool: pg.Pool, jobId: string): Promise<void> {
  await pool.query('UPDATE runtime.jobs SET starts = starts - 1 WHERE job_id = $1', [jobId]);
}

/** Saves the progress; null: there is none yet, but the job runs. */
export async function saveProgress(pool: pg.Pool, jobId: string, progress: Progress | null): Promise<void> {
  const { what = null, done = null, total = null, unit = null } = progress ?? {};
  await pool.query(
    `UPDATE runtime.jobs SET what = $2, done = $3, total = $4, unit = $5, seen_at = clock_timestamp() WHERE job_id = $1`,
    [jobId, what, done, total, unit],
  );
}

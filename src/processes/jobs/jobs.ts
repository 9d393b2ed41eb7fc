import type pg from 'pg';
import type { Progress } from '../../administration/administration-context.ts';
import { failureOf, runJob } from '../../administration/run-job.ts';
import { load } from '../../commands/decide-and-append.ts';
import { finishJob } from '../../commands/operations/operator-work.ts';
import { type Job, type JobResult, work } from '../../domain/operations/work-events.ts';
import { WORK_STREAM } from '../../domain/streams.ts';
import type { Process, ProcessContext } from '../process.ts';
import { createRest } from '../wait-for-work.ts';
import { doInspections } from './inspections.ts';
import { doLongWork, GIVEN_UP, MAX_STARTS } from './long-work.ts';

const LOOK_MS = 500;

/**
 * Does the jobs that operators ask for (decisions.md#jobs), one after the other, oldest first. After a kill, the next
 * holder of the lease does the job that has no end in the log. If two holders do one job, the first end in the log counts. At the
 * same time it does the inspections, also one after the other.
 */
export const jobs: Process = {
  name: 'jobs',
  instances: 'one',
  async run(context, signal) {
    const stop = new AbortController();
    const both = AbortSignal.any([signal, stop.signal]);
    const ends = [doJobs(context, both), doInspections(context, both)];
    try {
      await Promise.all(ends);
    } finally {
      // An error of one ends the other, and the process is started again.
      stop.abort();
      await Promise.allSettled(ends);
    }
  },
};

async function doJobs(context: ProcessContext, signal: AbortSignal): Promise<void> {
  const { log, note } = context;
  const rest = createRest(context);
  let known = await load(log, work, WORK_STREAM);
  while (!signal.aborted) {
    rest.begin();
    const end = await log.endCursor();
    known = await load(log, work, WORK_STREAM, known);
    note(end);
    const [job] = known.state.values();
    if (job === undefined) await rest.rest(LOOK_MS, [end], signal);
    else await doJob(context, job, signal);
  }
}

async function doJob(context: ProcessContext, job: Job, signal: AbortSignal): Promise<void> {
  const { pool, logger } = context;
  const jobLogger = logger.child({ job: job.job_id, kind: job.kind });
  const starts = await beginJob(pool, job.job_id);
  if (starts > MAX_STARTS) {
    const result = failureOf(GIVEN_UP);
    return finishJob(context, job.job_id, result);
  }
  jobLogger.info('job begins');
  const result = await resultOf(context, job, signal);
  if (result === null) return leaveJob(pool, job.job_id);
  await finishJob(context, job.job_id, result);
  jobLogger.info({ outcome: result.outcome, summary: result.summary }, 'job ended');
}

/** @returns null: the instance stops, and the next start resumes the job @throws errors of an outage, also resumed */
function resultOf(context: ProcessContext, job: Job, signal: AbortSignal): Promise<JobResult | null> {
  return doLongWork(context, signal, {
    save: (progress) => saveProgress(context.pool, job.job_id, progress),
    work: (work) => runJob(work, job),
    failed: failureOf,
  });
}

/** The progress of jobs, in the schema `runtime`. It is no part of the log: a job that resumes reports again. */

/** Rows of jobs that ended are removed after this time. */
const KEPT = '7 days';

/** Records that an instance begins the job. @returns how often one has, with this time */
async function beginJob(pool: pg.Pool, jobId: string): Promise<number> {
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
async function leaveJob(pool: pg.Pool, jobId: string): Promise<void> {
  await pool.query('UPDATE runtime.jobs SET starts = starts - 1 WHERE job_id = $1', [jobId]);
}

/** Saves the progress; null: there is none yet, but the job runs. */
async function saveProgress(pool: pg.Pool, jobId: string, progress: Progress | null): Promise<void> {
  const { what = null, done = null, total = null, unit = null } = progress ?? {};
  await pool.query(
    `UPDATE runtime.jobs SET what = $2, done = $3, total = $4, unit = $5, seen_at = clock_timestamp() WHERE job_id = $1`,
    [jobId, what, done, total, unit],
  );
}

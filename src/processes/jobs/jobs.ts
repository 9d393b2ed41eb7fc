import type pg from 'pg';
import type { LongWorkContext, Progress } from '../../administration/administration-context.ts';
import { failureOf, runJob } from '../../administration/run-job.ts';
import { load } from '../../commands/decide-and-append.ts';
import { finishJob } from '../../commands/operations/operator-work.ts';
import { FRESH_MS } from '../../database/fresh-cache.ts';
import { type Job, type JobResult, work } from '../../domain/operations/work-events.ts';
import { WORK_STREAM } from '../../domain/streams.ts';
import { isPassing } from '../../log/is-passing.ts';
import { loadReadModel } from '../../projections/load-read-model.ts';
import { createPatientReader } from '../../projections/reader.ts';
import { MANIFESTS, manifestOf } from '../../projections/registry.ts';
import { shareAmongProjectors } from '../../projections/runtime/projector.ts';
import { servedProgress, waitForReadModels } from '../../projections/runtime/wait-for-read-models.ts';
import { pause } from '../../util/pause.ts';
import type { Process, ProcessContext } from '../process.ts';
import { createRest } from '../wait-for-work.ts';

const LOOK_MS = 500;
const SAVE_MS = 500;
/** After this wait for a read model the job fails: a stopped read model never catches up. */
const CATCH_UP_MS = 60_000;
/** After so many starts without an end the job fails: the job itself may end the instances. */
const MAX_STARTS = 10;

/**
 * Does the jobs that operators ask for (decisions.md#jobs), one after the other, oldest first. After a kill, the next
 * holder of the lease does the job that has no end in the log. If two holders do one job, the first end in the log counts.
 */
export const jobs: Process = {
  name: 'jobs',
  instances: 'one',
  async run(context, signal) {
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
  },
};

async function doJob(context: ProcessContext, job: Job, signal: AbortSignal): Promise<void> {
  const { pool, logger } = context;
  const jobLogger = logger.child({ job: job.job_id, kind: job.kind });
  const starts = await beginJob(pool, job.job_id);
  if (starts > MAX_STARTS) {
    const result = failureOf(`given up: ${MAX_STARTS} starts ended with their instance or with an outage`);
    return finishJob(context, job.job_id, result);
  }
  jobLogger.info('job begins');
  const result = await resultOf(context, job, signal);
  if (result === null) return leaveJob(pool, job.job_id);
  await finishJob(context, job.job_id, result);
  jobLogger.info({ outcome: result.outcome, summary: result.summary }, 'job ended');
}

/** @returns null: the instance stops, and the next start resumes the job @throws errors of an outage, also resumed */
async function resultOf(context: ProcessContext, job: Job, signal: AbortSignal): Promise<JobResult | null> {
  const { pool, log, logger, note } = context;
  let progress: Progress | null = null;
  const saving = setInterval(() => {
    Promise.all([saveProgress(pool, job.job_id, progress), log.endCursor().then(note)]).catch((error: unknown) =>
      logger.warn({ err: error }, 'failed to save the progress of a job'),
    );
  }, SAVE_MS);
  try {
    const show = (now: Progress | null): void => {
      progress = now;
    };
    return await runJob(await longWork(context, signal, show), job);
  } catch (error) {
    if (signal.aborted) return null;
    if (isPassing(error)) throw error;
    logger.error({ err: error, job: job.job_id }, 'job failed');
    return failureOf(error instanceof Error ? error.message : String(error));
  } finally {
    clearInterval(saving);
  }
}

async function longWork(
  { log, pool, sources, instance, logger, config }: ProcessContext,
  signal: AbortSignal,
  progress: LongWorkContext['progress'],
): Promise<LongWorkContext> {
  const shared = shareAmongProjectors(pool, instance, logger);
  const logEnd = await log.endCursor();
  return {
    log,
    sources,
    signal,
    progress,
    manifests: MANIFESTS,
    checkpointKey: config.PROOF === 'on' ? config.CHECKPOINT_KEY : undefined,
    witnessPolicy: config.WITNESS_POLICY,
    waitForSwitch: () => pause(2 * FRESH_MS, signal),
    projector: async ({ name }) => ({
      model: await loadReadModel(name),
      log,
      ...shared,
      logger,
      onBadEvent: 'stop',
      standBy: true,
      signal,
    }),
    ...createPatientReader(pool, async (name) => {
      const model = manifestOf(name);
      const waiting = { timeoutMs: CATCH_UP_MS, signal };
      if ((await waitForReadModels([servedProgress(pool, model)], logEnd, waiting)) === null)
        throw new Error(`the read model ${name} did not catch up with the log within ${CATCH_UP_MS / 1000} s`);
      return model;
    }),
  };
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

import { z } from 'zod';
import { textProblem } from '../catalog/checks.ts';
import { type Decision, decider } from '../decider.ts';
import { type DataOf, type EventOf, eventType } from '../event-type.ts';
import { Rejection } from '../rejection.ts';

/**
 * Stream `operations-global`: the long work that operators asked for, its results, and the switches and drops of read
 * models, each with who and why; and audits of the command line (decisions.md#jobs). One stream, so that work of the same
 * kind on the same thing is asked for once.
 */

export const JOB_KINDS = ['rebuild', 'verify', 'audit'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** How a job ended. `findings`: the comparison found differences. `failed`: the job could not be done. */
export const JOB_OUTCOMES = ['done', 'findings', 'failed'] as const;
export type JobOutcome = (typeof JOB_OUTCOMES)[number];

const id = z.number().int().positive();
const asked = { operator_id: id, reason: z.string() };

/** The object of a job. A rebuild and a comparison name a read model; an audit a bot, an account of it, or neither. */
const jobFields = z.object({
  job_id: z.string(),
  kind: z.enum(JOB_KINDS),
  projection: z.string().nullable(),
  /** Of a rebuild: the most events a second. Absent: as the version has it. */
  max_rate: id.optional(),
  /** Public key. */
  bot: z.string().nullable(),
  /** The referrer whose account is audited. */
  user_id: id.nullable(),
  ...asked,
});

const findingFields = z.object({
  kind: z.string(),
  stream: z.string().nullable(),
  revision: z.number().int().nullable(),
  message: z.string(),
});

export const jobRequested = eventType('job_requested', 1, jobFields);
const resultFields = z.object({
  outcome: z.enum(JOB_OUTCOMES),
  /** The work that was done or checked, or the error, for a person. */
  summary: z.string(),
  /** The first findings. */
  findings: z.array(findingFields),
  /** All findings, also unlisted ones. */
  findings_count: z.number().int().nonnegative(),
});
export const jobFinished = eventType('job_finished', 1, resultFields.extend({ job_id: z.string() }));
/** A command has audited the whole ledger. */
export const ledgerAudited = eventType('ledger_audited', 1, resultFields);
const version = z.object({ projection: z.string(), version: id, ...asked });
export const versionSwitched = eventType('version_switched', 1, version);
export const versionDropped = eventType('version_dropped', 1, version);

export type Job = DataOf<typeof jobRequested>;
export type JobResult = z.infer<typeof resultFields>;
export type JobFinding = z.infer<typeof findingFields>;
export type WorkEvent = EventOf<
  typeof jobRequested | typeof jobFinished | typeof ledgerAudited | typeof versionSwitched | typeof versionDropped
>;

/** The jobs that have not ended, by id, in the order in which they were asked for. */
export type WorkState = Map<string, Job>;

export const work = decider(
  [jobRequested, jobFinished, ledgerAudited, versionSwitched, versionDropped],
  (): WorkState => new Map(),
  (state, event) => {
    if (event.type === 'job_requested') state.set(event.data.job_id, event.data);
    else if (event.type === 'job_finished') state.delete(event.data.job_id);
    return state;
  },
);

/** The most characters of a reason. */
export const MAX_REASON = 1000;
/** The most jobs that wait or run at once. */
const MAX_OPEN = 20;

/** Asks for a job, unless the same is asked for and not done. */
export function requestJob(state: WorkState, given: Job): Decision<WorkEvent> {
  const job = { ...given, reason: given.reason.trim() };
  const problem = textProblem('reason', job.reason, MAX_REASON);
  if (problem !== undefined) return problem;
  const same = [...state.values()].find(
    ({ kind, projection, bot, user_id }) =>
      kind === job.kind && projection === job.projection && bot === job.bot && user_id === job.user_id,
  );
  if (same !== undefined)
    return new Rejection('conflict', 'kind', `job ${same.job_id} does the same and has not ended`);
  if (state.size >= MAX_OPEN)
    return new Rejection('conflict', 'kind', `${MAX_OPEN} jobs have not ended: wait for one of them`);
  return [{ type: 'job_requested', data: job }];
}

/** Records the end of a job. A second end changes nothing: the first one counts. */
export function finishJob(state: WorkState, jobId: string, result: JobResult): Decision<WorkEvent> {
  return state.has(jobId) ? [{ type: 'job_finished', data: { job_id: jobId, ...result } }] : [];
}

/** Records that an operator switches to a version, or drops one. */
export function recordVersion(
  type: 'version_switched' | 'version_dropped',
  given: DataOf<typeof versionSwitched>,
): Decision<WorkEvent> {
  const data = { ...given, reason: given.reason.trim() };
  return textProblem('reason', data.reason, MAX_REASON) ?? [{ type, data }];
}

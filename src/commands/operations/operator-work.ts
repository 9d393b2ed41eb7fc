import {
  type DeadLetter,
  deadLetters,
  retryDeadLetter,
  skipDeadLetter,
} from '../../domain/operations/dead-letter-events.ts';
import {
  issueOperator as decideIssueOperator,
  revokeOperator as decideRevokeOperator,
  OPERATOR_PART,
  type OperatorRight,
  operator,
} from '../../domain/operations/operator.ts';
import {
  finishJob as decideFinishJob,
  requestJob as decideRequestJob,
  type Job,
  type JobKind,
  type JobResult,
  recordVersion,
  work,
} from '../../domain/operations/work-events.ts';
import { operatorStream, projectionStream, WORK_STREAM } from '../../domain/streams.ts';
import type { Position, RecordedCommit } from '../../log/port.ts';
import { newSecret } from '../catalog/secrets.ts';
import { type CommandContext, type CommandMeta, decideAndAppend } from '../decide-and-append.ts';
import { reserveId } from '../reserve-ids.ts';

export interface JobRequest {
  readonly kind: JobKind;
  readonly projection: string | null;
  readonly maxRate?: number | undefined;
  readonly bot: string | null;
  readonly userId: number | null;
  readonly reason: string;
  readonly operatorId: number;
}

export interface RequestedJob {
  readonly jobId: string;
  readonly position: Position | undefined;
  readonly repeated: RecordedCommit | null;
}

/** Asks for a job. The log has it before this resolves. @throws Rejection */
export async function requestJob(
  context: CommandContext,
  { maxRate, userId, operatorId, ...request }: JobRequest,
  command: CommandMeta['command'],
): Promise<RequestedJob> {
  const ids = { job_id: context.sources.uuid(), user_id: userId, operator_id: operatorId };
  const job: Job = { ...request, ...ids, ...(maxRate !== undefined && { max_rate: maxRate }) };
  const { events, position, repeated } = await decideAndAppend(
    context,
    work,
    WORK_STREAM,
    (state) => decideRequestJob(state, job),
    { keyId: operatorId, command },
  );
  return { jobId: jobIdOf(events) ?? job.job_id, position, repeated };
}

/** The id of the job that a commit of the stream asks for. */
export function jobOf({ events }: RecordedCommit): string | undefined {
  return jobIdOf(events.map(work.read));
}

function jobIdOf(events: readonly ReturnType<typeof work.read>[]): string | undefined {
  return events.find((event) => event.type === 'job_requested')?.data.job_id;
}

/** Records the end of a job, once. */
export async function finishJob(context: CommandContext, jobId: string, result: JobResult): Promise<void> {
  await decideAndAppend(context, work, WORK_STREAM, (state) => decideFinishJob(state, jobId, result));
}

/** Records that a command has audited the whole ledger. */
export async function recordAudit(context: CommandContext, result: JobResult): Promise<void> {
  const audited = { type: 'ledger_audited', data: result } as const;
  await decideAndAppend(context, work, WORK_STREAM, () => [audited]);
}

/** Records that an operator switches to a version of a read model, or drops one. @throws Rejection */
export async function recordVersionChange(
  context: CommandContext,
  type: Parameters<typeof recordVersion>[0],
  change: Parameters<typeof recordVersion>[1],
): Promise<void> {
  const meta = { keyId: change.operator_id };
  await decideAndAppend(context, work, WORK_STREAM, () => recordVersion(type, change), meta);
}

/** Decides on a dead letter, a commit that a read model cannot apply: skip it for a reason, or (null) apply it again. */
export async function decideDeadLetter(
  context: CommandContext,
  readModel: string,
  letter: DeadLetter,
  skipFor: string | null,
  meta: CommandMeta = {},
): Promise<void> {
  await decideAndAppend(
    context,
    deadLetters,
    projectionStream(readModel),
    (state) => (skipFor === null ? retryDeadLetter(state, letter) : skipDeadLetter(state, letter, skipFor)),
    meta,
  );
}

interface IssuedOperator {
  readonly operatorId: number;
  /** `operator:<secret>`, shown once: the log has only the secret's hash. */
  readonly operatorKey: string;
  readonly position: Position | undefined;
}

/** Operators and API keys take ids from one sequence, so that the id in a commit names one credential. @throws Rejection */
export async function issueOperator(
  context: CommandContext,
  { name, can }: { readonly name: string; readonly can: OperatorRight },
): Promise<IssuedOperator> {
  const operator_id = await reserveId(context, 'key');
  const secret = newSecret(context.sources);
  const issue = { operator_id, name, can, secret_hash: secret.hash };
  const { position } = await decideAndAppend(context, operator, operatorStream(operator_id), (state) =>
    decideIssueOperator(state, issue),
  );
  return { operatorId: operator_id, operatorKey: `${OPERATOR_PART}:${secret.text}`, position };
}

/** Revokes an operator's key: it is refused from now on. @throws Rejection */
export function revokeOperator(
  context: CommandContext,
  operatorId: number,
): Promise<{ position: Position | undefined }> {
  return decideAndAppend(context, operator, operatorStream(operatorId), (state) =>
    decideRevokeOperator(state, operatorId),
  );
}

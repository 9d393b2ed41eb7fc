import type { Job, JobFinding, JobResult } from '../domain/operations/work-events.ts';
import { accountStream } from '../domain/streams.ts';
import { counted } from '../util/counted.ts';
import { auditOneAccount } from './account-audit.ts';
import type { LongWorkContext } from './administration-context.ts';
import { type AuditedLedger, auditLedger } from './audit-ledger.ts';
import { storableMessage } from './storable-message.ts';
import { buildNext, compareNewest, modelOf } from './version-work.ts';

/** At most so many findings go into the log, each cut: a commit is read whole. */
const MAX_FINDINGS = 100;

/** Does the work of a job. Safe to repeat: a rebuild resumes, a verification begins again. */
export async function runJob(context: LongWorkContext, job: Job): Promise<JobResult> {
  switch (job.kind) {
    case 'rebuild': {
      const { note } = await buildNext(context, modelOf(context, job.projection!), job.max_rate);
      return resultOf(note, []);
    }
    case 'verify': {
      const { compared, differences, note } = await compareNewest(context, modelOf(context, job.projection!));
      const name = `${compared.name} version ${compared.version}`;
      return resultOf(
        note,
        differences.map((difference) => ({ ...nowhere, message: `${name} differs from a replay: ${difference}` })),
      );
    }
    case 'audit':
      return job.user_id === null ? auditAll(context, job) : auditOne(context, job.bot!, job.user_id);
  }
}

const nowhere = { kind: 'read model', stream: null, revision: null };

async function auditAll(context: LongWorkContext, { bot }: Job): Promise<JobResult> {
  return auditResult(await auditLedger(context, bot ?? undefined));
}

/** The result of an audit, as the log keeps it. */
export function auditResult({ findings, count, note }: AuditedLedger): JobResult {
  return resultOf(note, findings, count);
}

async function auditOne(context: LongWorkContext, bot: string, user: number): Promise<JobResult> {
  const { history, difference } = await auditOneAccount(context, { bot, user });
  const note = `compared ${counted(history.length, 'line')} of the account with the read model`;
  const finding = { kind: 'balance', stream: accountStream(bot, user), revision: null };
  return resultOf(note, difference === null ? [] : [{ ...finding, message: difference }]);
}

function resultOf(summary: string, findings: readonly JobFinding[], count = findings.length): JobResult {
  return {
    outcome: count === 0 ? 'done' : 'findings',
    summary,
    findings: findings
      .slice(0, MAX_FINDINGS)
      .map(({ kind, stream, revision, message }) => ({ kind, stream, revision, message: storableMessage(message) })),
    findings_count: count,
  };
}

/** The result of a job that could not be done. */
export function failureOf(message: string): JobResult {
  return { outcome: 'failed', summary: storableMessage(message), findings: [], findings_count: 0 };
}

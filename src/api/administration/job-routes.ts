import { validate } from 'uuid';
import { z } from 'zod';
import { jobOf, type RequestedJob, requestJob } from '../../commands/operations/operator-work.ts';
import { WORK_STREAM } from '../../domain/streams.ts';
import { findBot } from '../../queries/catalog/bots.ts';
import { findJob, listJobs } from '../../queries/operations/job-list.ts';
import { operatorOf } from '../access.ts';
import { ApiError, invalid } from '../api-errors.ts';
import { underKey } from '../idempotency.ts';
import { page } from '../page.ts';
import { type AnyRoute, route } from '../route.ts';
import { answer, items, uuid } from '../shapes.ts';
import type { AdminDependencies } from './administration-options.ts';
import { job, jobKind, maxRate, READ, readModelName, reason } from './schemas.ts';

const request = z
  .object({
    kind: jobKind,
    projection: readModelName.optional().describe('The read model of a rebuild or a verification'),
    max_rate: maxRate.optional().describe('Of a rebuild: the most events a second; default: as the version has it'),
    bot: z.string().optional().describe('Public key. Of an audit: only of its streams and accounts, without replays'),
    user_id: z.int().min(1).optional().describe('Of an audit: only of this account of the bot'),
    reason,
  })
  .superRefine(({ kind, projection, max_rate, bot, user_id }, context) => {
    const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
    if (kind === 'audit' && projection !== undefined) refuse('projection', 'an audit has none');
    if (kind !== 'audit' && projection === undefined) refuse('projection', `is needed to ${kind}`);
    if (kind !== 'rebuild' && max_rate !== undefined) refuse('max_rate', 'only a rebuild has one');
    if (kind !== 'audit' && bot !== undefined) refuse('bot', 'only an audit has one');
    if (kind !== 'audit' && user_id !== undefined) refuse('user_id', 'only an audit has one');
    if (user_id !== undefined && bot === undefined) refuse('bot', 'is needed with user_id');
  })
  .meta({ id: 'JobRequest', example: { kind: 'rebuild', projection: 'users', reason: 'rows were wrong' } });

/** `/admin/v1/jobs`: rebuilds, verifications and audits. An instance does them (decisions.md#jobs). */
export function jobRoutes({ context, db, waitForCatalog, findCaughtUp }: AdminDependencies): AnyRoute[] {
  return [
    route({
      method: 'POST',
      url: '/admin/v1/jobs',
      operationId: 'adminRequestJob',
      summary:
        'Ask for a rebuild, a verification (a comparison with a replay), or an audit. An instance does it; the log records who and why',
      tag: 'Operations',
      access: { ...READ, act: true },
      body: request,
      idempotent: true,
      status: 202,
      answer: answer(z.object({ job_id: uuid }).meta({ id: 'RequestedJob' })),
      errors: [404],
      async handle({ request, body }) {
        const { kind, projection = null, max_rate: maxRate, bot = null, user_id = null, reason: why } = body;
        if (bot !== null && (await findCaughtUp(undefined, async () => findBot(await db.at('catalog'), bot))) === null)
          throw invalid([{ path: 'bot', message: 'there is no such bot' }]);
        const { operatorId } = operatorOf(request);
        const wanted = { kind, projection, maxRate, bot, userId: user_id, reason: why, operatorId };
        return underKey<RequestedJob, object>(
          request,
          'jobs',
          async (stamp, first) =>
            first === null
              ? requestJob(context, wanted, stamp)
              : { jobId: jobOf(first)!, position: first.position, repeated: first },
          async ({ jobId, position }) => {
            await waitForCatalog(request, position);
            return { ok: true, data: { job_id: jobId } };
          },
          () => WORK_STREAM,
        );
      },
    }),
    route({
      method: 'GET',
      url: '/admin/v1/jobs',
      operationId: 'adminListJobs',
      summary: 'Jobs, newest first',
      tag: 'Operations',
      access: READ,
      query: z.object({ ...page, kind: jobKind.optional() }),
      answer: items(job),
      async handle({ query }) {
        return { ok: true, data: { items: await listJobs(await db.at('catalog'), query) } };
      },
    }),
    route({
      method: 'GET',
      url: '/admin/v1/jobs/:job_id',
      operationId: 'adminGetJob',
      summary: 'A job: its state, progress and result',
      tag: 'Operations',
      access: READ,
      params: z.object({ job_id: uuid }),
      answer: answer(job),
      errors: [404],
      async handle({ request }) {
        const { job_id } = request.params as { readonly job_id: string };
        const find = async () => findJob(await db.at('catalog'), job_id);
        // The instance that is asked may show less than the one that accepted the job.
        const found = validate(job_id) ? await findCaughtUp(undefined, find) : null;
        if (found === null) throw new ApiError(404, 'there is no such job');
        return { ok: true, data: found };
      },
    }),
  ];
}

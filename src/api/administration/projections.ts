import { z } from 'zod';
import { listVersions } from '../../administration/service-overview.ts';
import { changeBuild, dropOldVersion, switchVersion } from '../../administration/version-work.ts';
import { operatorOf } from '../access.ts';
import { type AnyRoute, route } from '../route.ts';
import { answer } from '../shapes.ts';
import type { AdminDependencies } from './administration-options.ts';
import { maxRate, readModelName as name, versionNumber as number, READ, reason, version } from './schemas.ts';

const done = answer(z.object({ name: z.string(), version: z.int() }).meta({ id: 'ChangedVersion' }));
const versions = z
  .object({ items: z.array(version), commits: z.int().describe('All commits of the log, about') })
  .meta({ id: 'ReadModelVersions' });

/** `/admin/v1/projections`: the versions of read models, and which of them answers. */
export function projectionRoutes({ context }: AdminDependencies): AnyRoute[] {
  return [
    route({
      method: 'GET',
      url: '/admin/v1/projections',
      operationId: 'adminListProjections',
      summary: 'Every version of every read model: state, lag, error, and what to do next',
      tag: 'Operations',
      access: READ,
      answer: answer(versions),
      handle: async () => ({ ok: true, data: await listVersions(context) }),
    }),
    route({
      method: 'POST',
      url: '/admin/v1/projections/switch',
      operationId: 'adminSwitchProjection',
      summary: 'Let a verified version answer; without a version the newest. The log records who and why',
      tag: 'Operations',
      access: { ...READ, act: true },
      body: z.object({ name, version: number.optional(), reason }).meta({
        id: 'SwitchVersionRequest',
        example: { name: 'users', reason: 'rows were wrong' },
      }),
      answer: done,
      errors: [404, 409],
      async handle({ request, body: { reason: why, ...chosen } }) {
        const asked = { operatorId: operatorOf(request).operatorId, reason: why };
        const row = await switchVersion(context, chosen, asked);
        return { ok: true, data: { name: row.name, version: row.version } };
      },
    }),
    route({
      method: 'POST',
      url: '/admin/v1/projections/build',
      operationId: 'adminChangeBuild',
      summary: 'Pause, resume or limit the build of the newest version. It holds for every instance and command',
      tag: 'Operations',
      access: { ...READ, act: true },
      body: z
        .object({
          name,
          paused: z.boolean().optional(),
          max_rate: maxRate.nullable().optional().describe('The most events a second; null: no limit'),
        })
        .refine(({ paused, max_rate }) => paused !== undefined || max_rate !== undefined, {
          path: ['paused'],
          message: 'is needed, or max_rate',
        })
        .meta({ id: 'ChangeBuildRequest', example: { name: 'users', paused: false, max_rate: 5000 } }),
      answer: done,
      errors: [404, 409],
      async handle({ request, body: { name: model, paused, max_rate } }) {
        const row = await changeBuild(context, model, { paused, maxRate: max_rate });
        const { operatorId } = operatorOf(request);
        request.log.info({ projection: model, paused, max_rate, operator: operatorId }, 'an operator changed a build');
        return { ok: true, data: { name: row.name, version: row.version } };
      },
    }),
    route({
      method: 'POST',
      url: '/admin/v1/projections/drop',
      operationId: 'adminDropProjection',
      summary: 'Drop a version that does not answer. The log records who and why',
      tag: 'Operations',
      access: { ...READ, act: true },
      body: z.object({ name, version: number, reason }).meta({
        id: 'DropVersionRequest',
        example: { name: 'users', version: 1, reason: 'version 2 answers since Monday' },
      }),
      answer: done,
      errors: [404, 409],
      async handle({ request, body: { reason: why, ...chosen } }) {
        const asked = { operatorId: operatorOf(request).operatorId, reason: why };
        const row = await dropOldVersion(context, chosen, asked);
        return { ok: true, data: { name: row.name, version: row.version } };
      },
    }),
  ];
}

import { validate } from 'uuid';
import { z } from 'zod';
import { comparedVersions } from '../../administration/diff/version-diff.ts';
import {
  findInspection,
  type InspectionRequest,
  KEPT,
  listInspections,
  requestInspection,
} from '../../administration/inspection/inspection-store.ts';
import { modelOf } from '../../administration/version-work.ts';
import { operatorOf } from '../access.ts';
import { ApiError } from '../api-errors.ts';
import { type AnyRoute, route } from '../route.ts';
import { answer, items, uuid } from '../shapes.ts';
import type { AdminDependencies } from './administration-options.ts';
import { inspection, inspectionKind, inspectionWithResult } from './inspection-schemas.ts';
import { READ, readModelName, versionNumber } from './schemas.ts';

const request = z
  .object({
    kind: inspectionKind,
    projection: readModelName.optional().describe('The read model whose versions are compared'),
    from: versionNumber.optional().describe('The version to switch from; default: the live one'),
    to: versionNumber.optional().describe('The version to switch to; default: the newest'),
    answers: z.boolean().optional().describe('Whether answers are compared as well as rows; default: true'),
  })
  .superRefine(({ kind, ...rest }, context) => {
    const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
    if (kind === 'diff' && rest.projection === undefined) refuse('projection', 'is needed to compare');
    if (kind === 'diff') return;
    for (const [path, value] of Object.entries(rest))
      if (value !== undefined) refuse(path, 'only a comparison of versions has one');
  })
  .meta({ id: 'InspectionRequest', example: { kind: 'diff', projection: 'users' } });

/** `/admin/v1/inspections`: what a switch or an upgrade changes. An instance finds it out (decisions.md#inspections). */
export function inspectionRoutes({ context }: AdminDependencies): AnyRoute[] {
  const { pool } = context;
  async function ofVersions(
    projection: string,
    { from, to, answers = true }: Omit<z.infer<typeof request>, 'kind' | 'projection'>,
  ): Promise<Omit<InspectionRequest, 'kind'>> {
    const pair = await comparedVersions(context, modelOf(context, projection), { from, to });
    return { projection, from: pair.from.version, to: pair.to.version, answers };
  }
  return [
    route({
      method: 'POST',
      url: '/admin/v1/inspections',
      operationId: 'adminRequestInspection',
      summary:
        'Ask for a comparison of two versions, or for the plan of an upgrade. An instance makes it; it changes nothing',
      tag: 'Operations',
      access: { ...READ, act: true },
      body: request,
      status: 202,
      answer: answer(z.object({ inspection_id: uuid }).meta({ id: 'RequestedInspection' })),
      errors: [404, 409],
      async handle({ request, body: { kind, projection, ...versions } }) {
        const none = { projection: null, from: null, to: null, answers: null };
        const asked: InspectionRequest = {
          kind,
          ...(kind === 'diff' ? await ofVersions(projection!, versions) : none),
        };
        const inspection_id = context.sources.uuid();
        await requestInspection(pool, inspection_id, asked, operatorOf(request));
        return { ok: true, data: { inspection_id } };
      },
    }),
    route({
      method: 'GET',
      url: '/admin/v1/inspections',
      operationId: 'adminListInspections',
      summary: `Inspections without their results, newest first: the open ones, and the last ${KEPT} that have ended`,
      tag: 'Operations',
      access: READ,
      answer: items(inspection),
      handle: async () => ({ ok: true, data: { items: await listInspections(pool) } }),
    }),
    route({
      method: 'GET',
      url: '/admin/v1/inspections/:inspection_id',
      operationId: 'adminGetInspection',
      summary: 'An inspection: its state, progress and result',
      tag: 'Operations',
      access: READ,
      params: z.object({ inspection_id: uuid }),
      answer: answer(inspectionWithResult),
      exact: true,
      errors: [404],
      async handle({ request }) {
        const { inspection_id } = request.params as { readonly inspection_id: string };
        const found = validate(inspection_id) ? await findInspection(pool, inspection_id) : null;
        if (found === null) throw new ApiError(404, 'there is no such inspection');
        return { ok: true, data: found };
      },
    }),
  ];
}

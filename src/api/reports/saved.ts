import { z } from 'zod';
import type { CommandContext } from '../../commands/decide-and-append.ts';
import { deleteReport } from '../../commands/reports/saved-reports.ts';
import { isJsonObject, property } from '../../domain/json.ts';
import { isoWithOffset } from '../../domain/local-time.ts';
import type { CommandStamp } from '../../log/port.ts';
import { listResources } from '../../queries/catalog/bots.ts';
import { listSavedReports, type SavedReportRow } from '../../queries/reports/saved-reports.ts';
import { principalOf } from '../access.ts';
import { invalid } from '../errors.ts';
import { idempotently } from '../idempotency.ts';
import { parseJson } from '../json.ts';
import { type AnyRoute, route } from '../route.ts';
import type { WaitForChange } from '../wait-for-change.ts';
import { type FindReportSources, findReport, unknownReport } from './find-report.ts';
import { deleteBody, savedAnswer, savedReportAnswer, savedReportsAnswer } from './schemas.ts';

/** Saved reports: to list, to get and to delete them. All of it needs a personal key (decisions.md#saved-reports). */
const access = { resource: 'optional', premium: true, personal: true } as const;

/** GET /v1/reports/list: the saved reports of the bot that is named, or of all that the key can access. */
export function listReports({ catalog, reports }: FindReportSources): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/reports/list',
    operationId: 'listReports',
    summary: 'Saved reports, newest first: of one bot, or without resource_key of every bot of the key',
    tag: 'Reports',
    access,
    answer: savedReportsAnswer,
    exact: true,
    async handle({ request }) {
      const { ownerId, scope } = principalOf(request);
      const bot = request.access?.bot ?? null;
      const bots =
        bot === null
          ? await listResources(await catalog(), ownerId, scope)
          : [{ resource_key: bot.public_key, timezone: bot.timezone }];
      const zones = new Map(bots.map(({ resource_key, timezone }) => [resource_key, timezone]));
      const rows = await listSavedReports(await reports(), [...zones.keys()]);
      return { ok: true, data: { items: rows.map((row) => itemOf(row, zones.get(row.public_key)!)) } };
    },
  });
}

/** GET /v1/reports/get: one of them. */
export function getReport(sources: FindReportSources): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/reports/get',
    operationId: 'getReport',
    summary: 'A saved report',
    tag: 'Reports',
    access,
    query: z.object({
      uuid: z.string({ error: UUID_REQUIRED }),
    }),
    answer: savedReportAnswer,
    exact: true,
    async handle({ request, query: { uuid } }) {
      const { report, bot } = await findReport(request, uuid, sources);
      if (report === null) throw unknownReport();
      return { ok: true, data: itemOf(report, bot.timezone) };
    },
  });
}

/** POST /v1/reports/delete. Deleting what was deleted is a 404, a repeat with the same Idempotency-Key is not. */
export function removeReport(
  context: CommandContext,
  sources: FindReportSources,
  waitForChange: WaitForChange,
): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/reports/delete',
    operationId: 'deleteReport',
    summary: 'Delete a saved report',
    tag: 'Reports',
    access,
    body: deleteBody,
    check(body) {
      const uuid = isJsonObject(body) ? property(body, 'uuid') : undefined;
      if (uuid === undefined) throw invalid([{ path: 'uuid', message: UUID_REQUIRED }]);
      return { uuid };
    },
    answer: savedAnswer,
    idempotent: true,
    async handle({ request, body }) {
      const { uuid, bot } = await findReport(request, body.uuid, sources);
      const { keyId } = principalOf(request);
      const remove = (stamp: CommandStamp | undefined) =>
        deleteReport(context, { bot: bot.public_key, uuid }, { keyId, command: stamp });
      return idempotently(request, 'reports/delete', { ok: true, data: { uuid } }, remove, waitForChange);
    },
  });
}

const UUID_REQUIRED = 'uuid is required';

/** As `list` and `get` show it; dates by the clock of the bot. */
function itemOf({ uuid, name, public_key, report_config, created_at }: SavedReportRow, timezone: string): object {
  return {
    uuid,
    name,
    resource_key: public_key,
    report_config: parseJson(Buffer.from(report_config)),
    date_create: isoWithOffset(created_at, timezone),
  };
}

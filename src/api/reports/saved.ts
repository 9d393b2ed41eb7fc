import { stringify } from 'lossless-json';
import { z } from 'zod';
import type { CommandContext } from '../../commands/decide-and-append.ts';
import { deleteReport, pinReport, saveReport } from '../../commands/reports/save-report.ts';
import { isoWithOffset } from '../../domain/local-time.ts';
import type { Problem } from '../../domain/problem.ts';
import { parseReport } from '../../domain/reports/parse-report.ts';
import { reportNameProblem } from '../../domain/reports/saved/saved-report.ts';
import type { NamedSavedSegment } from '../../domain/reports/warnings.ts';
import { isJsonObject, property } from '../../domain/storable-json.ts';
import type { CommandStamp } from '../../log/port.ts';
import { listResources } from '../../queries/catalog/bots.ts';
import { listSavedReports, type SavedReportRow } from '../../queries/reports/saved-reports.ts';
import { botOf, principalOf } from '../access.ts';
import { invalid } from '../api-errors.ts';
import { parseJson } from '../exact-json.ts';
import { idempotently } from '../idempotency.ts';
import { type AnyRoute, route } from '../route.ts';
import type { WaitForChange } from '../wait-for-change.ts';
import { type FindReportSources, findReport, unknownReport, uuidOf } from './find-report.ts';
import type { FindNamedSegments } from './named-saved-segments.ts';
import { deleteBody, pinBody, saveBody, savedAnswer, savedReportAnswer, savedReportsAnswer } from './schemas.ts';

/** POST /v1/reports/save (interface.md, "Report builder"): saves a report under a name, or replaces a saved one. */
export function save(context: CommandContext, findNamed: FindNamedSegments, waitForChange: WaitForChange): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/reports/save',
    operationId: 'saveReport',
    summary: 'Save a report, or replace a saved one by its uuid',
    tag: 'Reports',
    access: { resource: 'required', premium: true, personal: true },
    body: saveBody,
    check(body) {
      const given = isJsonObject(body) ? body : {};
      const [name, report_config, uuid] = ['name', 'report_config', 'uuid'].map((key) => property(given, key));
      return { name, report_config, uuid };
    },
    answer: savedAnswer,
    idempotent: true,
    async handle({ request, body }) {
      const bot = botOf(request);
      const { savedSegments, ...content } = checkContent(body, bot.timezone);
      const replaces = body.uuid !== undefined;
      const uuid = replaces ? uuidOf(body.uuid) : context.sources.uuid();
      if (uuid === undefined) throw unknownReport();
      const command = { bot: bot.public_key, report: { uuid, ...content }, replaces };
      const { keyId } = principalOf(request);
      const save = async (stamp: CommandStamp | undefined) => {
        const { problems } = await findNamed(bot, savedSegments);
        if (problems.length > 0) throw invalid(problems);
        return saveReport(context, command, { keyId, command: stamp });
      };
      return idempotently(request, 'reports/save', { ok: true, data: { uuid } }, save, waitForChange);
    },
  });
}

/** Checks name and config, the config as in a preview but for its saved segments. @throws ApiError 400 with all problems of both */
function checkContent(
  { name, report_config }: { readonly name: unknown; readonly report_config: unknown },
  timezone: string,
): { name: string; report_config: string; savedSegments: readonly NamedSavedSegment[] } {
  const problems: Problem[] = [];
  let savedSegments: readonly NamedSavedSegment[] = [];
  if (typeof name !== 'string')
    problems.push({ path: 'name', message: name === undefined ? 'name is required' : 'must be a string' });
  else {
    const refused = reportNameProblem(name);
    if (refused !== undefined) problems.push({ path: 'name', message: refused.message });
  }
  if (report_config === undefined) problems.push({ path: 'report_config', message: 'report_config is required' });
  else {
    const parsed = parseReport(report_config, timezone);
    if (parsed.ok) ({ savedSegments } = parsed);
    else problems.push(...parsed.problems);
  }
  if (problems.length > 0 || typeof name !== 'string') throw invalid(problems);
  return { name, report_config: stringify(report_config)!, savedSegments };
}

/** To list, get and delete saved reports needs a personal key (decisions.md#saved-reports). */
const access = { resource: 'optional', premium: true, personal: true } as const;

/** GET /v1/reports/list: the saved reports of the named bot, or of all bots that the key can access. */
export function listReports({ db }: FindReportSources): AnyRoute {
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
          ? await listResources(await db.at('catalog'), ownerId, scope)
          : [{ resource_key: bot.public_key, timezone: bot.timezone }];
      const zones = new Map(bots.map(({ resource_key, timezone }) => [resource_key, timezone]));
      const rows = await listSavedReports(await db.at('reports'), [...zones.keys()]);
      return { ok: true, data: { items: rows.map((row) => itemOf(row, zones.get(row.public_key)!)) } };
    },
  });
}

/** GET /v1/reports/get: a saved report. */
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

/** POST /v1/reports/delete. A second deletion is a 404, but a repeat with the same Idempotency-Key is not. */
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

/** POST /v1/reports/pin (decisions.md#pinned-reports). */
export function pin(context: CommandContext, sources: FindReportSources, waitForChange: WaitForChange): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/reports/pin',
    operationId: 'pinReport',
    summary: 'Pin a saved report to the dashboard of its bot, or take it off',
    tag: 'Reports',
    access,
    body: pinBody,
    check(body) {
      const [uuid, pinned] = ['uuid', 'pinned'].map((key) => (isJsonObject(body) ? property(body, key) : undefined));
      const problems: Problem[] = [];
      if (uuid === undefined) problems.push({ path: 'uuid', message: UUID_REQUIRED });
      if (typeof pinned !== 'boolean') problems.push({ path: 'pinned', message: 'must be true or false' });
      if (problems.length > 0) throw invalid(problems);
      return { uuid, pinned: pinned === true };
    },
    answer: savedAnswer,
    idempotent: true,
    async handle({ request, body }) {
      const { uuid, bot } = await findReport(request, body.uuid, sources);
      const { keyId } = principalOf(request);
      const change = (stamp: CommandStamp | undefined) =>
        pinReport(context, { bot: bot.public_key, uuid, pinned: body.pinned }, { keyId, command: stamp });
      return idempotently(request, 'reports/pin', { ok: true, data: { uuid } }, change, waitForChange);
    },
  });
}

const UUID_REQUIRED = 'uuid is required';

/** A report as `list` and `get` show it, with dates in the bot's time zone. */
function itemOf(
  { uuid, name, public_key, report_config, created_at, pinned }: SavedReportRow,
  timezone: string,
): object {
  return {
    uuid,
    name,
    resource_key: public_key,
    report_config: parseJson(Buffer.from(report_config)),
    date_create: isoWithOffset(created_at, timezone),
    pinned,
  };
}

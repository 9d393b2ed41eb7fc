import type { FastifyRequest } from 'fastify';
import type { Problem } from '../../domain/problem.ts';
import { isJsonObject, type JsonObject, property } from '../../domain/storable-json.ts';
import { botOf } from '../access.ts';
import { invalid } from '../api-errors.ts';
import { parseJson } from '../exact-json.ts';
import { type AnyRoute, route } from '../route.ts';
import { ALL_ROWS, type AnswerReport, type UncheckedReport } from './answer-report.ts';
import { type FindReportSources, findReport, unknownReport } from './find-report.ts';
import { reportCsv, reportJson } from './report-text.ts';
import { FORMATS, type NamedReport, previewBody, type RunRequest, reportAnswer, runBody } from './schemas.ts';

const PREVIEW_ROWS = 10;

/** POST /v1/reports/preview (interface.md, "Report builder"): the first rows of a report that is not saved. */
export function preview(answerReport: AnswerReport): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/reports/preview',
    operationId: 'previewReport',
    summary: `Run a report without saving it and get its first ${PREVIEW_ROWS} rows`,
    tag: 'Reports',
    access: { resource: 'required', premium: true },
    body: previewBody,
    check(body) {
      const report_config = isJsonObject(body) ? property(body, 'report_config') : undefined;
      if (report_config !== undefined) return { report_config };
      throw invalid([{ path: 'report_config', message: 'report_config is required' }]);
    },
    answer: reportAnswer,
    exact: true,
    errors: [502],
    async handle({ request, reply, body }) {
      const question = { bot: botOf(request), config: body.report_config, rows: PREVIEW_ROWS };
      return reportJson(reply, await answerReport(reply, question));
    },
  });
}

/** POST /v1/reports/run (decisions.md#run-report): all rows of a report, saved or not, as JSON or CSV. */
export function run(answerReport: AnswerReport, sources: FindReportSources): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/reports/run',
    operationId: 'runReport',
    summary: 'Run a saved report, or one that is not, and get all its rows as JSON or CSV',
    tag: 'Reports',
    access: { resource: 'without-uuid', premium: true },
    body: runBody,
    check: checkRun,
    answer: reportAnswer,
    otherMedia: ['text/csv'],
    exact: true,
    errors: [502],
    async handle({ request, reply, body }) {
      const question = { ...(await namedReport(request, body, sources)), rows: ALL_ROWS };
      const data = await answerReport(reply, question);
      if (body.format !== 'csv') return reportJson(reply, data);
      void reply.type('text/csv; charset=utf-8').header('content-disposition', 'attachment; filename="report.csv"');
      return reportCsv(data, question.config, { raw: body.raw });
    },
  });
}

/** @throws ApiError 400 */
function checkRun(body: unknown): RunRequest {
  const given = isJsonObject(body) ? body : {};
  const problems: Problem[] = [];
  const named = checkNamed(given, problems);
  const format = property(given, 'format') ?? 'json';
  const known = FORMATS.find((each) => each === format);
  if (known === undefined) problems.push({ path: 'format', message: 'unknown format', allowed: FORMATS });
  const raw = property(given, 'raw') ?? false;
  if (typeof raw !== 'boolean') problems.push({ path: 'raw', message: 'expected true or false' });
  if (problems.length > 0 || known === undefined) throw invalid(problems);
  return { ...named, format: known, raw: raw === true };
}

/** Checks that a request has either a report or the uuid of one. A uuid may come with another period. */
export function checkNamed(given: JsonObject, problems: Problem[]): NamedReport {
  const [uuid, report_config, params] = ['uuid', 'report_config', 'params'].map((key) => property(given, key));
  if (uuid === undefined && report_config === undefined)
    problems.push({ path: 'report_config', message: 'uuid or report_config is required' });
  if (uuid !== undefined && report_config !== undefined)
    problems.push({ path: 'report_config', message: 'uuid and report_config exclude each other' });
  if (params !== undefined && !isJsonObject(params)) problems.push({ path: 'params', message: 'expected an object' });
  else if (params !== undefined && uuid === undefined)
    problems.push({ path: 'params', message: 'params override the period of a saved report: only with uuid' });
  return { uuid, report_config, params: isJsonObject(params) ? params : undefined };
}

/** The report of a request, and its bot. The request's access then has this bot. Throws as {@link findReport}. */
export async function namedReport(
  request: FastifyRequest,
  { uuid, report_config, params }: NamedReport,
  sources: FindReportSources,
): Promise<Omit<UncheckedReport, 'rows'>> {
  if (uuid === undefined) return { bot: botOf(request), config: report_config };
  const { bot, report } = await findReport(request, uuid, sources);
  if (report === null) throw unknownReport();
  const saved = parseJson(Buffer.from(report.report_config));
  return { bot, ...withPeriod(saved, params ?? {}) };
}

/** The saved config with another period. Problems and warnings of the period point at `params`, where the caller sent it. */
function withPeriod(saved: unknown, given: JsonObject): Pick<UncheckedReport, 'config' | 'placed'> {
  const params = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  if (!isJsonObject(saved) || Object.keys(params).length === 0) return { config: saved };
  const settings = objectIn(saved, 'settings');
  const period = { ...objectIn(settings, 'params'), ...params };
  const inside = 'settings.params.';
  return {
    config: { ...saved, settings: { ...settings, params: period } },
    placed: (problem) => {
      const key = problem.path.startsWith(inside) ? problem.path.slice(inside.length) : undefined;
      return key !== undefined && Object.hasOwn(params, key) ? { ...problem, path: `params.${key}` } : problem;
    },
  };
}

function objectIn(object: JsonObject, key: string): JsonObject {
  const value = property(object, key);
  return isJsonObject(value) ? value : {};
}

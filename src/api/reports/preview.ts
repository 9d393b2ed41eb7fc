import { isJsonObject, property } from '../../domain/json.ts';
import { parseReport } from '../../domain/report/parse-report.ts';
import { type ReportDependencies, runReport } from '../../queries/report/run-report.ts';
import { ReportTimeoutError } from '../../queries/report/snapshot.ts';
import { botOf, principalOf } from '../access.ts';
import { ApiError, invalid } from '../errors.ts';
import { type AnyRoute, route } from '../route.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import { previewBody, reportAnswer } from './schemas.ts';

const PREVIEW_ROWS = 10;

/** POST /v1/reports/preview (interface.md, "Report builder"): the first rows of a report that is not saved. */
export function preview(reports: () => Promise<ReportDependencies>, limit: ConcurrencyLimit): AnyRoute {
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
    async handle({ request, body }) {
      const bot = botOf(request);
      const parsed = parseReport(body.report_config, bot.timezone);
      if (!parsed.ok) throw invalid(parsed.problems);
      const run = async () => runReport(await reports(), bot.bot_id, parsed, PREVIEW_ROWS);
      try {
        return { ok: true, data: await limit(principalOf(request).keyId, run) };
      } catch (error) {
        if (!(error instanceof ReportTimeoutError)) throw error;
        throw new ApiError(502, `${error.message}: narrow the period`);
      }
    },
  });
}

import { isJsonObject, property } from '../../domain/json.ts';
import { botOf } from '../access.ts';
import { invalid } from '../errors.ts';
import { type AnyRoute, route } from '../route.ts';
import type { AnswerReport } from './answer-report.ts';
import { reportJson } from './report-json.ts';
import { previewBody, reportAnswer } from './schemas.ts';

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

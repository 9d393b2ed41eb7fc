import { stringify } from 'lossless-json';
import type { CommandContext } from '../../commands/decide-and-append.ts';
import { saveReport } from '../../commands/reports/saved-reports.ts';
import { isJsonObject, property } from '../../domain/json.ts';
import type { Problem } from '../../domain/problem.ts';
import { parseReport } from '../../domain/reports/parse-report.ts';
import { reportNameProblem } from '../../domain/reports/saved/saved-report.ts';
import type { CommandStamp } from '../../log/port.ts';
import { botOf, principalOf } from '../access.ts';
import { invalid } from '../errors.ts';
import { idempotently } from '../idempotency.ts';
import { type AnyRoute, route } from '../route.ts';
import type { WaitForChange } from '../wait-for-change.ts';
import { unknownReport, uuidOf } from './find-report.ts';
import { saveBody, savedAnswer } from './schemas.ts';

/** POST /v1/reports/save (interface.md, "Report builder"): keeps a report under a name, or replaces one that was kept. */
export function save(context: CommandContext, waitForChange: WaitForChange): AnyRoute {
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
      const content = checkContent(body, bot.timezone);
      const replaces = body.uuid !== undefined;
      const uuid = replaces ? uuidOf(body.uuid) : context.sources.uuid();
      if (uuid === undefined) throw unknownReport();
      const command = { bot: bot.public_key, report: { uuid, ...content }, replaces };
      const { keyId } = principalOf(request);
      const save = (stamp: CommandStamp | undefined) => saveReport(context, command, { keyId, command: stamp });
      return idempotently(request, 'reports/save', { ok: true, data: { uuid } }, save, waitForChange);
    },
  });
}

/** Every mistake in name and config at once; the config is checked as in a preview. @throws ApiError 400 */
function checkContent(
  { name, report_config }: { readonly name: unknown; readonly report_config: unknown },
  timezone: string,
): { name: string; report_config: string } {
  const problems: Problem[] = [];
  if (typeof name !== 'string')
    problems.push({ path: 'name', message: name === undefined ? 'name is required' : 'must be a string' });
  else {
    const refused = reportNameProblem(name);
    if (refused !== undefined) problems.push({ path: 'name', message: refused.message });
  }
  if (report_config === undefined) problems.push({ path: 'report_config', message: 'report_config is required' });
  else {
    const parsed = parseReport(report_config, timezone);
    if (!parsed.ok) problems.push(...parsed.problems);
  }
  if (problems.length > 0 || typeof name !== 'string') throw invalid(problems);
  return { name, report_config: stringify(report_config)! };
}

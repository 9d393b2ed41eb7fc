import { request } from '../api.ts';
import type { Bot } from '../session.ts';
import type { Answer } from './answer.ts';
import { comparedSpan } from './compared-period.ts';
import { configOf, configOver, type ReportConfig, type SavedSettings } from './config.ts';
import type { NamedReport } from './named-report.ts';
import { type Days, daysOf, PRESETS } from './period.ts';
import type { SavedReport } from './saved-report.ts';
import { COMPARED, type ReportState } from './state.ts';

/** A report that was run, and its answer. */
export interface RunReport {
  readonly state: ReportState;
  /** The request to the service: the period is the one that the answer has. */
  readonly asked: NamedReport;
  readonly answer: Answer;
  /** Of the period before, up to the same moment; absent: nothing is compared. */
  readonly previous?: Answer | undefined;
}

/**
 * Runs a report over the days that its period has when its data are counted, and over the period before.
 * The first answer says how far that is: a browser's clock may be wrong.
 * @throws RequestError
 */
export async function runReport(state: ReportState, bot: Bot, signal: AbortSignal): Promise<RunReport> {
  const run = (report_config: ReportConfig): Promise<Answer> =>
    request('/v1/reports/run', { method: 'POST', bot: bot.resource_key, body: { report_config }, signal });
  const daysAt = (moment: Date): Days => daysOf(state.period, bot.timezone, moment);
  let days = daysAt(new Date());
  let answer = await run(configOf(state, days));
  const counted = daysAt(new Date(answer.meta.data_as_of));
  if (counted.from !== days.from || counted.to !== days.to) {
    days = counted;
    answer = await run(configOf(state, days));
  }
  const asked = { report_config: configOf(state, days) };
  if (!state.compare || !COMPARED.includes(state.type)) return { state, asked, answer };
  const before = comparedSpan(state.period, days, answer.meta.data_as_of);
  return { state, asked, answer, previous: await run(configOver(state, before)) };
}

/** Runs a saved report that the form cannot show: as it was saved, over the days that its preset has now. @throws RequestError */
export async function runSaved(
  state: ReportState,
  { uuid, report_config }: SavedReport,
  bot: Bot,
  signal: AbortSignal,
): Promise<RunReport> {
  const { params, period } = report_config['settings'] as SavedSettings;
  const isPreset = period !== undefined && PRESETS.includes(period);
  const { from, to } = isPreset ? daysOf(period, bot.timezone, new Date()) : { from: '', to: '' };
  const asked = {
    uuid,
    params: isPreset ? { ':date_from': `${from} 00:00:00`, ':date_to': `${to} 23:59:59` } : params,
  };
  const answer = await request<Answer>('/v1/reports/run', {
    method: 'POST',
    bot: bot.resource_key,
    body: asked,
    signal,
  });
  return { state, asked, answer };
}

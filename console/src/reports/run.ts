import { request } from '../api.ts';
import type { Bot } from '../session.ts';
import type { Answer } from './answer.ts';
import { comparedSpan, type Span } from './compared-period.ts';
import { configOf, configOver, type ReportConfig } from './config.ts';
import { type Days, daysOf } from './period.ts';
import { COMPARED, type ReportState } from './state.ts';

/** What a report answered. */
export interface RunReport {
  readonly state: ReportState;
  /** The period is the one that the answer has. */
  readonly config: ReportConfig;
  readonly answer: Answer;
  /** Of the period before, up to the same moment; absent: nothing is compared. */
  readonly previous?: Answer | undefined;
  readonly before?: Span | undefined;
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
  const config = configOf(state, days);
  if (!state.compare || !COMPARED.includes(state.type)) return { state, config, answer };
  const before = comparedSpan(state.period, days, answer.meta.data_as_of);
  return { state, config, answer, previous: await run(configOver(state, before)), before };
}

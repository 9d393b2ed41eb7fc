import type { Value } from '../api.ts';
import type { Answer } from '../reports/answer.ts';
import { sourceOf } from '../reports/config.ts';
import { type Metric, type ReportState, START } from '../reports/state.ts';
import type { Bot } from '../session.ts';
import { loadNewUsers, runReport } from './data.ts';
import type { Figure } from './figures.ts';
import { nowOf } from './now.ts';
import { type Compared, comparedSpans, type DashboardPeriod, type Span } from './span.ts';

export interface Counted {
  readonly figure: Figure;
  readonly value: Value;
  readonly before: Value;
  /** By day, of one day by hour; none: it has no course. */
  readonly course: readonly number[];
}

export interface CountedFigures extends Compared {
  readonly figures: readonly Counted[];
  /** The moment up to which all was counted. */
  readonly now: Date;
}

/** Counts the figures in a period and in the one before it. */
export async function loadFigures(
  bot: Bot,
  figures: readonly Figure[],
  period: DashboardPeriod,
  signal: AbortSignal,
): Promise<CountedFigures> {
  const now = await nowOf(bot, signal);
  const compared = comparedSpans(period, bot.timezone, now);
  const { span, before, days } = compared;
  const isDay = days.from === days.to;
  const metrics = figures.flatMap(({ metric }) => metric ?? []);
  const hasNew = figures.some(({ metric }) => metric === undefined);
  const none = { days: [], total: null };
  const key = bot.resource_key;
  const [course, then, newCourse, newThen] = await Promise.all([
    trend(key, metrics, span, isDay ? 'hour' : 'day', signal),
    trend(key, metrics, before, 'month', signal),
    hasNew ? loadNewUsers(key, span, signal) : none,
    hasNew ? loadNewUsers(key, before, signal) : none,
  ]);
  const counted = figures.map((figure): Counted => {
    if (figure.metric === undefined) {
      const byDay = newCourse.days.map(({ users }) => users);
      return { figure, value: newCourse.total, before: newThen.total, course: isDay ? [] : byDay };
    }
    const index = metrics.indexOf(figure.metric);
    return { figure, value: totalOf(course, index), before: totalOf(then, index), course: courseOf(course, index) };
  });
  return { ...compared, figures: counted, now };
}

async function trend(
  bot: string,
  metrics: readonly Metric[],
  { from, to }: Span,
  granularity: ReportState['granularity'],
  signal: AbortSignal,
): Promise<Answer | null> {
  if (metrics.length === 0) return null;
  const state: ReportState = { ...START, chart: 'line', metrics, granularity };
  const settings = { params: { ':date_from': from, ':date_to': to } };
  return runReport(bot, { source_request: sourceOf(state), settings }, signal);
}

const columnOf = (answer: Answer | null, index: number) => answer?.columns.find(({ metric }) => metric === index);
const totalOf = (answer: Answer | null, index: number): Value => columnOf(answer, index)?.total ?? null;

function courseOf(answer: Answer | null, index: number): readonly number[] {
  const column = columnOf(answer, index);
  return column === undefined ? [] : answer!.rows.map((row) => Number(row[column.key] ?? 0));
}

import { href } from '../address.ts';
import type { Value } from '../api.ts';
import { cell, share } from '../format.ts';
import { AsOf } from '../parts/as-of.tsx';
import type { KnownEvent } from '../parts/catalog.ts';
import { Failure } from '../parts/failure.tsx';
import { useLoad } from '../parts/load.ts';
import { type ReportConfig, sourceOf } from '../reports/config.ts';
import { type Metric, type ReportState, START, writeState } from '../reports/state.ts';
import { type Bot, currency } from '../session.ts';
import { texts } from '../texts.ts';
import { ACTIVE_USERS, EVENTS, loadNewUsers, MONEY, REVENUE, runReport, SALE, SALES } from './data.ts';
import { type Span, todayAndYesterday } from './day.ts';
import { nowOf } from './now.ts';
import { words } from './words.ts';

interface NumbersProps {
  readonly bot: Bot;
  readonly events: readonly KnownEvent[];
}

interface Figure {
  readonly key: keyof typeof words.figures;
  /** Absent: it is not a report's. */
  readonly metric?: Metric;
  readonly today: Value;
  readonly yesterday: Value;
}

/** In the order in which they are shown; new users come from another endpoint. Sales and revenue are shown once the bot had some. */
const METRICS: readonly { key: Figure['key']; metric: Metric; of?: readonly number[] }[] = [
  { key: 'active', metric: ACTIVE_USERS.metrics[0]! },
  { key: 'events', metric: EVENTS },
  { key: 'sales', metric: SALES, of: [SALE] },
  { key: 'revenue', metric: REVENUE, of: MONEY },
];

interface Loaded {
  readonly figures: readonly Figure[];
  /** How far all figures have been counted. */
  readonly at: string;
  readonly lagMs: number;
}

async function loadFigures({ bot, events }: NumbersProps, signal: AbortSignal): Promise<Loaded> {
  const { resource_key: key, timezone } = bot;
  const { today, yesterday } = todayAndYesterday(timezone, await nowOf(bot, signal));
  const metrics = METRICS.filter(
    ({ of }) => !of || events.some((each) => each.count > 0 && of.includes(each.event_id)),
  );
  const state: ReportState = { ...START, chart: 'number', metrics: metrics.map(({ metric }) => metric) };
  const config = ({ from, to }: Span): ReportConfig => ({
    source_request: sourceOf(state),
    settings: { params: { ':date_from': from, ':date_to': to } },
  });
  const [now, then, newNow, newThen] = await Promise.all([
    runReport(key, config(today), signal),
    runReport(key, config(yesterday), signal),
    loadNewUsers(key, today, signal),
    loadNewUsers(key, yesterday, signal),
  ]);
  const totalOf = ({ columns }: typeof now, index: number): Value =>
    columns.find(({ metric }) => metric === index)?.total ?? null;
  const counted = metrics.map(
    ({ key: name, metric }, index): Figure => ({
      key: name,
      metric,
      today: totalOf(now, index),
      yesterday: totalOf(then, index),
    }),
  );
  const fresh: Figure = { key: 'newUsers', today: newNow.total, yesterday: newThen.total };
  const { lag_ms, data_as_of } = now.meta;
  // Of the same zone: the earlier one is the lesser text.
  const [at] = [data_as_of, newNow.data_as_of].sort();
  return { figures: counted.toSpliced(1, 0, fresh), at: at!, lagMs: lag_ms };
}

/** Today's numbers beside those of the same part of yesterday. */
export function Numbers(props: NumbersProps) {
  const { loaded, reload } = useLoad(() => (signal) => loadFigures(props, signal), { poll: () => 'still' });
  const { data, error, loading } = loaded.value;
  const { resource_key } = props.bot;
  const linkOf = ({ metric }: Figure): string =>
    metric === undefined
      ? '#growth'
      : href('/reports', {
          bot: resource_key,
          report: writeState({ ...START, chart: 'number', metrics: [metric], period: 'today' }),
        });
  return (
    <section class="today" aria-busy={loading} aria-labelledby="today">
      <h2 id="today">{words.today}</h2>
      {error !== undefined && <Failure error={error} retry={reload} />}
      <ul class="numbers">
        {data?.figures.map((figure) => (
          <li key={figure.key} data-figure={figure.key}>
            <a href={linkOf(figure)}>{words.figures[figure.key]}</a>
            <strong>
              {shown(figure.today)} {figure.key === 'revenue' && <small>{currency()}</small>}
            </strong>
            <span class="quiet-text">{words.yesterday(shown(figure.yesterday))}</span>
            <span class="quiet-text">{changeOf(figure)}</span>
          </li>
        ))}
      </ul>
      {data === undefined ? <p class="quiet-text">{texts.loading}</p> : <AsOf at={data.at} lagMs={data.lagMs} />}
    </section>
  );
}

/** Nothing summed up is nothing. */
const shown = (value: Value): string => cell(value ?? 0, 'number');

/** By how much it is more or less than yesterday. */
function changeOf({ today, yesterday }: Figure): string {
  // Amounts with more digits than a float has are compared by the reader.
  if (typeof today !== 'number' || typeof yesterday !== 'number' || yesterday <= 0) return '';
  if (today === yesterday) return words.same;
  const part = (today - yesterday) / yesterday;
  return part > 0 ? words.more(share(part)) : words.less(share(-part));
}

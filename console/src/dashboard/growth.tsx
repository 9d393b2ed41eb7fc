import { href } from '../address.ts';
import { number } from '../format.ts';
import { AsOf } from '../parts/as-of.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Pending } from '../parts/failure.tsx';
import { useLoad } from '../parts/load.ts';
import { TimeChart } from '../parts/time-chart.tsx';
import { configOf } from '../reports/config.ts';
import { daysOf } from '../reports/period.ts';
import { writeState } from '../reports/state.ts';
import { Footnotes } from '../reports/view.tsx';
import type { Bot } from '../session.ts';
import { texts } from '../texts.ts';
import { ACTIVE_USERS, loadNewUsers, runReport } from './data.ts';

const words = texts.dashboard;

interface ByDay {
  readonly date: string;
  readonly users: number;
}

/** New users of the last 30 days, by day. */
export function Growth({ bot: { resource_key, timezone } }: { readonly bot: Bot }) {
  const { loaded, reload } = useLoad(
    () => (signal) => {
      const { from, to } = daysOf('30d', timezone, new Date());
      return loadNewUsers(resource_key, { from: `${from} 00:00:00`, to: `${to} 23:59:59` }, signal);
    },
    { poll: () => 'still' },
  );
  const { data, loading } = loaded.value;
  return (
    <section id="growth" class="card" aria-busy={loading} aria-labelledby="growth-name" tabIndex={-1}>
      <h2 id="growth-name">{words.growth}</h2>
      <Pending loaded={loaded.value} retry={reload} chart />
      {data !== undefined && (
        <>
          <p>
            <strong>{number(data.total)}</strong> {words.in30Days}
          </p>
          <Days days={data.days} shape="bar" label={words.figures.newUsers} />
          <AsOf at={data.data_as_of} zone={timezone} />
        </>
      )}
    </section>
  );
}

/** Users who did anything, by day. */
export function ActiveUsers({ bot: { resource_key, timezone } }: { readonly bot: Bot }) {
  const { loaded, reload } = useLoad(
    () => (signal) => runReport(resource_key, configOf(ACTIVE_USERS, daysOf('30d', timezone, new Date())), signal),
    { poll: () => 'still' },
  );
  const { data, loading } = loaded.value;
  return (
    <section class="card" aria-busy={loading} aria-labelledby="active-name">
      <h2 id="active-name">
        <a href={href('/reports', { bot: resource_key, report: writeState(ACTIVE_USERS) })}>{words.activeByDay}</a>
      </h2>
      <Pending loaded={loaded.value} retry={reload} chart />
      {data !== undefined && (
        <>
          <p>
            <strong>{number(Number(data.columns[1]?.total ?? 0))}</strong> {words.in30Days}
          </p>
          <Days
            days={data.rows.map((row): ByDay => ({ date: String(row['date']), users: Number(row['s0']) }))}
            shape="line"
            label={words.figures.active}
          />
          <Footnotes answer={data} />
        </>
      )}
    </section>
  );
}

interface DaysProps {
  readonly days: readonly ByDay[];
  readonly shape: 'line' | 'bar';
  readonly label: string;
}

function Days({ days, shape, label }: DaysProps) {
  return (
    <>
      <TimeChart
        times={days.map(({ date }) => date)}
        series={[{ label, values: days.map(({ users }) => users) }]}
        shape={shape}
        label={label}
      />
      <details>
        <summary>{words.asTable}</summary>
        <DataTable
          caption={label}
          columns={[
            { key: 'date', label: words.day, type: 'date' },
            { key: 'users', label, type: 'number' },
          ]}
          rows={days.map(({ date, users }) => ({ date, users }))}
        />
      </details>
    </>
  );
}

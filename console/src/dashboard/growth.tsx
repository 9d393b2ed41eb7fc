import { href } from '../address.ts';
import { number } from '../format.ts';
import { AsOf } from '../parts/as-of.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { TimeChart } from '../parts/time-chart.tsx';
import { configOf } from '../reports/config.ts';
import { daysOf } from '../reports/period.ts';
import { writeState } from '../reports/state.ts';
import { Footnotes } from '../reports/view.tsx';
import type { Bot } from '../session.ts';
import { texts } from '../texts.ts';
import { Card } from './card.tsx';
import { ACTIVE_USERS, loadNewUsers, runReport } from './data.ts';

const words = texts.dashboard;

interface ByDay {
  readonly date: string;
  readonly users: number;
}

/** New users of the last 30 days, by day. */
export function Growth({ bot: { resource_key, timezone } }: { readonly bot: Bot }) {
  return (
    <Card
      id="growth"
      title={words.growth}
      load={(signal) => {
        const { from, to } = daysOf('30d', timezone, new Date());
        return loadNewUsers(resource_key, { from: `${from} 00:00:00`, to: `${to} 23:59:59` }, signal);
      }}
    >
      {({ days, total, data_as_of }) => (
        <>
          <Days days={days} total={total} shape="bar" label={words.figures.newUsers} />
          <AsOf at={data_as_of} zone={timezone} />
        </>
      )}
    </Card>
  );
}

/** Users who did anything, by day. */
export function ActiveUsers({ bot: { resource_key, timezone } }: { readonly bot: Bot }) {
  return (
    <Card
      id="active"
      title={words.activeByDay}
      link={href('/reports', { bot: resource_key, report: writeState(ACTIVE_USERS) })}
      load={(signal) => runReport(resource_key, configOf(ACTIVE_USERS, daysOf('30d', timezone, new Date())), signal)}
    >
      {(answer) => (
        <>
          <Days
            days={answer.rows.map((row): ByDay => ({ date: String(row['date']), users: Number(row['s0']) }))}
            total={Number(answer.columns[1]?.total ?? 0)}
            shape="line"
            label={words.figures.active}
          />
          <Footnotes answer={answer} />
        </>
      )}
    </Card>
  );
}

interface DaysProps {
  readonly days: readonly ByDay[];
  readonly shape: 'line' | 'bar';
  readonly label: string;
  readonly total: number;
}

function Days({ days, shape, label, total }: DaysProps) {
  return (
    <>
      <p>
        <strong>{number(total)}</strong> {words.in30Days}
      </p>
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

import { href } from '../address.ts';
import { date, number } from '../format.ts';
import { AsOf } from '../parts/as-of.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { TimeChart } from '../parts/time-chart.tsx';
import { configOf } from '../reports/config.ts';
import { NumberButton } from '../reports/numbers.tsx';
import { daysOf } from '../reports/period.ts';
import { writeState } from '../reports/state.ts';
import { useUsers } from '../reports/users-dialog.tsx';
import { Footnotes, View } from '../reports/view.tsx';
import type { Bot } from '../session.ts';
import { texts } from '../texts.ts';
import { Card } from './card.tsx';
import { ACTIVE_USERS, loadNewUsers, NEW_USERS_AT_MOST, newUsersConfig, runReport } from './data.ts';

const words = texts.dashboard;

/** New users of the last 30 days, by day. Each day opens its users. */
export function Growth({ bot }: { readonly bot: Bot }) {
  const { resource_key, timezone } = bot;
  const label = words.figures.newUsers;
  const users = useUsers(bot);
  const open = (day: string, count: number): void => {
    const cut = count > NEW_USERS_AT_MOST ? ` (${texts.cells.first(number(NEW_USERS_AT_MOST))})` : '';
    users.open({ report_config: newUsersConfig(day) }, {}, `${titleOf(day)}${cut}`);
  };
  const titleOf = (day: string): string => `${label}, ${date(day, false)}`;
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
          <Total of={total} />
          <TimeChart
            times={days.map((day) => day.date)}
            series={[{ label, values: days.map((day) => day.users) }]}
            shape="bar"
            label={label}
            onPoint={(_, index) => open(days[index]!.date, days[index]!.users)}
          />
          <details>
            <summary>{texts.reports.table}</summary>
            <DataTable
              caption={label}
              columns={[
                { key: 'date', label: words.day, type: 'date' },
                {
                  key: 'users',
                  label,
                  type: 'number',
                  show: (_, day) => (
                    <NumberButton
                      value={day.users}
                      cell={{}}
                      title={titleOf(day.date)}
                      onCell={() => open(day.date, day.users)}
                    />
                  ),
                },
              ]}
              rows={days}
            />
          </details>
          <AsOf at={data_as_of} />
          {users.dialog}
        </>
      )}
    </Card>
  );
}

/** Users who did anything, by day. */
export function ActiveUsers({ bot }: { readonly bot: Bot }) {
  const { resource_key, timezone } = bot;
  const users = useUsers(bot);
  return (
    <Card
      id="active"
      title={words.activeByDay}
      link={href('/reports', { bot: resource_key, report: writeState(ACTIVE_USERS) })}
      load={async (signal) => {
        const report_config = configOf(ACTIVE_USERS, daysOf('30d', timezone, new Date()));
        return { report_config, answer: await runReport(resource_key, report_config, signal) };
      }}
    >
      {({ report_config, answer }) => (
        <>
          <Total of={Number(answer.columns[1]?.total ?? 0)} />
          <View
            state={ACTIVE_USERS}
            answer={answer}
            onCell={(cell, title) => users.open({ report_config }, cell, title)}
            closed
          />
          <Footnotes answer={answer} />
          {users.dialog}
        </>
      )}
    </Card>
  );
}

function Total({ of }: { readonly of: number }) {
  return (
    <p>
      <strong>{number(of)}</strong> {words.in30Days}
    </p>
  );
}

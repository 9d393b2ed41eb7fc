import { href } from '../address.ts';
import { number } from '../format.ts';
import { LoadedCard } from '../parts/loaded-card.tsx';
import type { Meta } from '../reports/answer.ts';
import { cellWords } from '../reports/cell-words.ts';
import { configOf } from '../reports/config.ts';
import { type ReportState, START, writeState } from '../reports/state.ts';
import { useUsers } from '../reports/users-dialog.tsx';
import { View } from '../reports/view.tsx';
import type { Bot } from '../session.ts';
import { ACTIVE_USERS, loadNewUsers, NEW_USERS_AT_MOST, newUsersConfig, runReport } from './data.ts';
import { nowOf } from './now.ts';
import { periodOfPage } from './period-of-page.ts';
import { comparedSpans } from './span.ts';
import { words } from './words.ts';

/** Bars, and a line without an event: its column names it. */
const STATE: ReportState = { ...START, chart: 'bar', metrics: [] };

/** New users of the period, by day, shown as a report. Each day opens its users. */
export function Growth({ bot }: { readonly bot: Bot }) {
  const { resource_key, timezone } = bot;
  const users = useUsers(bot);
  return (
    <LoadedCard
      id="growth"
      title={words.growth}
      load={async (signal) => {
        const { days, isRunning } = comparedSpans(periodOfPage(), timezone, await nowOf(bot, signal));
        const whole = { from: `${days.from} 00:00:00`, to: `${days.to} 23:59:59` };
        return { isRunning, date_to: whole.to, ...(await loadNewUsers(resource_key, whole, signal)) };
      }}
    >
      {({ days, total, data_as_of, isRunning, date_to }) => (
        <>
          <Total of={total} isRunning={isRunning} />
          <View
            state={STATE}
            answer={{
              columns: [
                { key: 'date', label: words.day, type: 'date' },
                { key: 'users', label: words.figures.newUsers, type: 'number' },
              ],
              rows: days,
              meta: { data_as_of, date_to } as Meta,
            }}
            onCell={({ bucket }, title) => {
              const isCut = days.some((day) => day.date === bucket && day.users > NEW_USERS_AT_MOST);
              const cut = isCut ? ` (${cellWords.first(number(NEW_USERS_AT_MOST))})` : '';
              users.open({ report_config: newUsersConfig(String(bucket)) }, {}, title + cut);
            }}
            closed
          />
          {users.dialog}
        </>
      )}
    </LoadedCard>
  );
}

/** Users who did anything, by day. */
export function ActiveUsers({ bot }: { readonly bot: Bot }) {
  const { resource_key, timezone } = bot;
  const users = useUsers(bot);
  return (
    <LoadedCard
      id="active"
      title={words.activeByDay}
      link={href('/reports', { bot: resource_key, report: writeState({ ...ACTIVE_USERS, period: periodOfPage() }) })}
      load={async (signal) => {
        const { days, isRunning } = comparedSpans(periodOfPage(), timezone, await nowOf(bot, signal));
        const report_config = configOf(ACTIVE_USERS, days);
        return { isRunning, report_config, answer: await runReport(resource_key, report_config, signal) };
      }}
    >
      {({ isRunning, report_config, answer }) => (
        <>
          <Total of={Number(answer.columns[1]?.total ?? 0)} isRunning={isRunning} />
          <View
            state={ACTIVE_USERS}
            answer={answer}
            onCell={(cell, title) => users.open({ report_config }, cell, title)}
            closed
          />
          {users.dialog}
        </>
      )}
    </LoadedCard>
  );
}

function Total({ of, isRunning }: { readonly of: number; readonly isRunning: boolean }) {
  return (
    <p>
      <strong>{number(of)}</strong> {words.inAll}
      {isRunning && <span class="quiet-text"> · {words.notOver}</span>}
    </p>
  );
}

import { href } from '../address.ts';
import { number } from '../format.ts';
import { AsOf } from '../parts/as-of.tsx';
import type { KnownEvent } from '../parts/catalog.ts';
import { Pending } from '../parts/failure.tsx';
import { useLoad } from '../parts/load.ts';
import type { Row } from '../reports/answer.ts';
import { configOf, type ReportConfig } from '../reports/config.ts';
import { daysOf } from '../reports/period.ts';
import { type ReportState, START, writeState } from '../reports/state.ts';
import type { Bot } from '../session.ts';
import { texts } from '../texts.ts';
import { runReport } from './data.ts';

const words = texts.dashboard;
/** Campaigns that are shown; visits without any label are one of the rows. */
const TOP = 6;

interface CampaignsProps {
  readonly bot: Bot;
  readonly events: readonly KnownEvent[];
}

/** The campaigns that brought most users who started the bot, within 30 days. */
export function TopCampaigns({ bot: { resource_key, timezone }, events }: CampaignsProps) {
  const start = events.find(({ name }) => name === 'start');
  const state: ReportState = {
    ...START,
    type: 'utm',
    chart: 'utm_table',
    metrics: [{ event: start?.event_id ?? null, name: start?.name ?? 'all', agr: 'total_uniq_user_id' }],
  };
  const { loaded, reload } = useLoad(
    () => (signal) => {
      const config = configOf(state, daysOf('30d', timezone, new Date()));
      const source = config['source_request'] as ReportConfig;
      return runReport(resource_key, { ...config, source_request: { ...source, row_limit: TOP } }, signal);
    },
    { poll: () => 'still' },
  );
  const { data, loading } = loaded.value;
  const rows = data?.rows.filter((row) => row['other'] !== true) ?? [];
  const most = Math.max(1, ...rows.map(usersOf));
  return (
    <section class="card campaigns" aria-busy={loading} aria-labelledby="campaigns">
      <h2 id="campaigns">
        <a href={href('/reports', { bot: resource_key, report: writeState(state) })}>{words.campaigns}</a>
      </h2>
      <Pending loaded={loaded.value} retry={reload} />
      {data !== undefined && rows.length === 0 && <p class="quiet">{words.noCampaigns}</p>}
      {rows.length > 0 && (
        <table class="bars">
          <thead>
            <tr>
              <th scope="col">{words.campaign}</th>
              <th scope="col" class="number">
                {words.users}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={campaignOf(row)}>
                <th scope="row">
                  <i class="bar" style={{ width: `${(usersOf(row) / most) * 100}%` }} />
                  <bdi>{campaignOf(row)}</bdi>
                </th>
                <td class="number">{number(usersOf(row))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data !== undefined && <AsOf at={data.meta.data_as_of} zone={timezone} lagMs={data.meta.lag_ms} />}
    </section>
  );
}

const PARTS = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;

const usersOf = (row: Row): number => Number(row['m0']);

function campaignOf(row: Row): string {
  const labels = PARTS.flatMap((part) => (row[part] === null ? [] : [String(row[part])]));
  return labels.length === 0 ? words.noLabel : labels.join(' / ');
}

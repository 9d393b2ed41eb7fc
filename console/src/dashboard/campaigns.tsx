import { href } from '../address.ts';
import { AsOf } from '../parts/as-of.tsx';
import type { KnownEvent } from '../parts/catalog.ts';
import { DataTable } from '../parts/data-table.tsx';
import { LoadedCard } from '../parts/loaded-card.tsx';
import type { Answer, Row } from '../reports/answer.ts';
import { configOf, type ReportConfig } from '../reports/config.ts';
import { Bar } from '../reports/numbers.tsx';
import { daysOf } from '../reports/period.ts';
import { type ReportState, START, writeState } from '../reports/state.ts';
import type { Bot } from '../session.ts';
import { runReport } from './data.ts';
import { nowOf } from './now.ts';
import { words } from './words.ts';

/** Campaigns that are shown; visits without any label are one of the rows. */
const TOP = 6;

interface CampaignsProps {
  readonly bot: Bot;
  readonly events: readonly KnownEvent[];
}

/** The campaigns that brought most users who started the bot, within 30 days. */
export function TopCampaigns({ bot, events }: CampaignsProps) {
  const { resource_key, timezone } = bot;
  const start = events.find(({ name }) => name === 'start');
  const state: ReportState = {
    ...START,
    type: 'utm',
    chart: 'utm_table',
    metrics: [{ event: start?.event_id ?? null, name: start?.name ?? 'all', agr: 'total_uniq_user_id' }],
  };
  return (
    <LoadedCard
      id="campaigns"
      title={words.campaigns}
      link={href('/reports', { bot: resource_key, report: writeState(state) })}
      load={async (signal) => {
        const config = configOf(state, daysOf('30d', timezone, await nowOf(bot, signal)));
        const source = config['source_request'] as ReportConfig;
        return runReport(resource_key, { ...config, source_request: { ...source, row_limit: TOP } }, signal);
      }}
    >
      {({ rows, meta }) => (
        <>
          <Ranking rows={rows.filter((row) => row['other'] !== true)} />
          <AsOf at={meta.data_as_of} lagMs={meta.lag_ms} />
        </>
      )}
    </LoadedCard>
  );
}

function Ranking({ rows }: Pick<Answer, 'rows'>) {
  if (rows.length === 0) return <p class="quiet-text">{words.noCampaigns}</p>;
  const most = Math.max(1, ...rows.map(usersOf));
  return (
    <DataTable
      bars
      caption={words.campaign}
      columns={[
        {
          key: 'campaign',
          label: words.campaign,
          type: 'string',
          head: true,
          show: (_, row) => (
            <>
              <Bar part={usersOf(row) / most} />
              <bdi>{campaignOf(row)}</bdi>
            </>
          ),
        },
        { key: 'm0', label: words.users, type: 'number' },
      ]}
      rows={rows}
    />
  );
}

const PARTS = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;

const usersOf = (row: Row): number => Number(row['m0']);

function campaignOf(row: Row): string {
  const labels = PARTS.flatMap((part) => (row[part] === null ? [] : [String(row[part])]));
  return labels.length === 0 ? words.noLabel : labels.join(' / ');
}

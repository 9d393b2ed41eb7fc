import { href } from '../address.ts';
import type { KnownEvent } from '../parts/catalog.ts';
import { DataTable } from '../parts/data-table.tsx';
import { LoadedCard } from '../parts/loaded-card.tsx';
import type { Answer, Row } from '../reports/answer.ts';
import { configOf, type ReportConfig } from '../reports/config.ts';
import { Bar } from '../reports/numbers.tsx';
import { type ReportState, START, writeState } from '../reports/state.ts';
import type { Bot } from '../session.ts';
import { runReport } from './data.ts';
import { nowOf } from './now.ts';
import { periodOfPage } from './period-of-page.ts';
import { comparedSpans } from './span.ts';
import { words } from './words.ts';

/** Campaigns that are shown; visits without any label are one of the rows. */
const TOP = 6;

interface CampaignsProps {
  readonly bot: Bot;
  readonly events: readonly KnownEvent[];
}

/** The campaigns that brought most users who started the bot, in the period. */
export function TopCampaigns({ bot, events }: CampaignsProps) {
  const { resource_key, timezone } = bot;
  const start = events.find(({ name }) => name === 'start');
  const state: ReportState = {
    ...START,
    period: periodOfPage(),
    type: 'utm',
    chart: 'utm_table',
    metrics: [{ event: start?.event_id ?? null, name: start?.name ?? 'all', agr: 'total_uniq_user_id' }],
  };
  return (
    <LoadedCard
      id="campaigns"
      flush
      title={words.campaigns}
      link={href('/reports', { bot: resource_key, report: writeState(state) })}
      load={async (signal) => {
        const { days } = comparedSpans(periodOfPage(), timezone, await nowOf(bot, signal));
        const config = configOf(state, days);
        const source = config['source_request'] as ReportConfig;
        return runReport(resource_key, { ...config, source_request: { ...source, row_limit: TOP } }, signal);
      }}
    >
      {({ rows }) => <Ranking rows={rows.filter((row) => row['other'] !== true)} />}
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

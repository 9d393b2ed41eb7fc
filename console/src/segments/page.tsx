import { address, href } from '../address.ts';
import { request } from '../api.ts';
import { dayName } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { Cut } from '../parts/cut.tsx';
import { Empty } from '../parts/empty.tsx';
import { Pending } from '../parts/failure.tsx';
import { Head } from '../parts/head.tsx';
import { Icon } from '../parts/icon.tsx';
import { useLoad } from '../parts/load.ts';
import { SortedTable } from '../parts/sorted-table.tsx';
import type { Bot } from '../session.ts';
import { countConditions, type SavedSegment } from './saved-segment.ts';
import { SegmentPage } from './segment.tsx';
import { words } from './words.ts';

/** The saved segments of a bot, or the one that the address names. */
export function SegmentsPage({ bot: { resource_key: bot } }: { readonly bot: Bot }) {
  const id = address.value.path.split('/')[2];
  return id === undefined ? <SegmentList bot={bot} /> : <SegmentPage key={id} bot={bot} id={id} />;
}

function SegmentList({ bot }: { readonly bot: string }) {
  const { loaded, reload } = useLoad(
    () => (signal) => request<{ items: readonly SavedSegment[] }>('/v1/saved-segments/list', { bot, signal }),
  );
  const rows = loaded.value.data?.items.map((segment) => ({
    ...segment,
    count: countConditions(segment.conditions.user_conditions) + countConditions(segment.conditions.event_filters),
  }));
  return (
    <>
      <Head title={words.title} lead={words.lead}>
        <a class="btn primary" data-key="n" href={href('/segments/new', { bot })}>
          <Icon name="plus" /> {words.new}
        </a>
      </Head>
      <Card title={words.list} flush={rows !== undefined && rows.length > 0} busy={loaded.value.loading}>
        <Pending loaded={loaded.value} retry={reload} />
        {rows?.length === 0 && (
          <Empty title={words.none}>
            <p>{words.noneMeans}</p>
          </Empty>
        )}
        {rows !== undefined && rows.length > 0 && (
          <SortedTable
            name="segments"
            caption={words.list}
            textOf={({ name }) => name}
            columns={[
              {
                key: 'name',
                label: words.name,
                head: true,
                show: (_, { saved_segment_id, name }) => (
                  <a href={href(`/segments/${saved_segment_id}`, { bot })}>
                    <Cut text={name} />
                  </a>
                ),
              },
              { key: 'count', label: words.conditions, type: 'number' },
              { key: 'date_create', label: words.made, show: (at) => dayName(String(at)), wide: true },
              { key: 'date_change', label: words.changed, show: (at) => dayName(String(at)) },
            ]}
            rows={rows}
          />
        )}
      </Card>
    </>
  );
}

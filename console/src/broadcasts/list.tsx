import type { BroadcastsAnswer } from '../../../src/api/broadcast/schemas.ts';
import { address, go, here, href } from '../address.ts';
import { request } from '../api.ts';
import { date, number, perCent } from '../format.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Empty } from '../parts/empty.tsx';
import { Pending } from '../parts/failure.tsx';
import { Head } from '../parts/head.tsx';
import { Icon } from '../parts/icon.tsx';
import { useLoad } from '../parts/load.ts';
import { Pager } from '../parts/pager.tsx';
import { Seg } from '../parts/seg.tsx';
import type { Bot } from '../session.ts';
import { texts } from '../texts.ts';
import { type Broadcast, isDraft, isRunning } from './broadcast.ts';
import { broadcastLink, editLink } from './links.ts';
import { StatusPill } from './status-pill.tsx';
import { words } from './words.ts';

const SIZE = 25;
/** Below this, a per cent says too little. */
const FEW = 30;

type List = Omit<BroadcastsAnswer, 'items'> & { readonly items: readonly Broadcast[] };

/** The question of the address, as the API takes it. */
function queryOf(query: URLSearchParams): URLSearchParams {
  const sort = query.get('sort') ?? '-id';
  const asked = new URLSearchParams({
    limit: `${SIZE}`,
    offset: query.get('offset') ?? '0',
    'filters[archived]': String(query.has('archived')),
    [`orders[${sort.replace('-', '')}]`]: sort.startsWith('-') ? 'desc' : 'asc',
  });
  for (const name of ['name', 'status']) {
    const value = query.get(name);
    if (value !== null) asked.set(`filters[${name}]`, value);
  }
  return asked;
}

/** The bot's broadcasts, the latest first, page by page. */
export function BroadcastList({ bot: { resource_key: bot } }: { readonly bot: Bot }) {
  const { loaded, reload } = useLoad<List>(
    () => {
      const query = queryOf(address.value.query);
      return (signal) => request(`/v1/broadcast/list?${query}`, { bot, signal });
    },
    // The former page stays, dimmed, until the next one is there: its buttons keep the focus.
    { poll: ({ items }) => (items.some(isRunning) ? 'running' : 'still'), keep: true },
  );
  const { data, loading } = loaded.value;
  const { query } = address.value;
  const isFiltered = ['name', 'status', 'archived'].some((name) => query.has(name));
  return (
    <>
      <Head title={words.title}>
        <a class="btn primary" data-key="n" href={href('/broadcasts/new', { bot })}>
          <Icon name="plus" /> {words.new}
        </a>
      </Head>
      <section class="card" aria-busy={loading}>
        <Filters />
        <div class="body flush">
          <Pending loaded={loaded.value} retry={reload} />
          {data !== undefined && data.items.length > 0 && <Rows bot={bot} rows={data.items} />}
          {data !== undefined && data.total === 0 && (
            <Empty title={isFiltered ? words.noneFound : words.none}>
              <p>{isFiltered ? words.noneFoundHint : words.noneHint}</p>
              {isFiltered && (
                <a class="btn" href={here({ name: '', status: '', archived: '', offset: '' })}>
                  {words.showAll}
                </a>
              )}
            </Empty>
          )}
        </div>
        {data !== undefined && data.total > 0 && (
          <footer>
            <Pager name="offset" size={SIZE} offset={data.offset} total={data.total} />
          </footer>
        )}
      </section>
    </>
  );
}

function Filters() {
  const { query } = address.value;
  const set = (changes: Readonly<Record<string, string>>): void => go(here({ ...changes, offset: '' }));
  return (
    <header class="filters">
      <div class="with-icon">
        <Icon name="search" />
        <input
          class="input"
          type="search"
          aria-label={texts.find(words.title)}
          placeholder={words.find}
          value={query.get('name') ?? ''}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
      </div>
      <label>
        {words.status}
        <select
          class="input"
          value={query.get('status') ?? ''}
          onChange={(event) => set({ status: event.currentTarget.value })}
        >
          <option value="">{texts.every}</option>
          {Object.entries(words.statuses).map(([status, text]) => (
            <option key={status} value={status}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <Seg
        label={words.archive}
        value={query.has('archived') ? 'archived' : 'current'}
        of={{ current: words.current, archived: words.archived }}
        onPick={(picked) => set({ archived: picked === 'archived' ? '1' : '' })}
      />
    </header>
  );
}

function Rows({ bot, rows }: { readonly bot: string; readonly rows: readonly Broadcast[] }) {
  const sort = address.value.query.get('sort') ?? '-id';
  const by = sort.replace('-', '');
  return (
    <DataTable
      caption={words.title}
      columns={[
        {
          key: 'name',
          label: words.name,
          head: true,
          show: (_, broadcast) => (
            <>
              <a class="cut" href={(isDraft(broadcast) ? editLink : broadcastLink)(bot, broadcast.id)}>
                <bdi>{broadcast.name ?? words.unnamed(broadcast.id)}</bdi>
              </a>
              <span class="sub">{words.no(broadcast.id)}</span>
            </>
          ),
        },
        { key: 'status', label: words.status, show: (_, broadcast) => <StatusPill broadcast={broadcast} /> },
        {
          key: 'count_recipients',
          label: words.recipients,
          type: 'number',
          show: (_, row) => countOf(row, row.count_recipients),
        },
        {
          key: 'count_delivered',
          label: words.parts.delivered,
          type: 'number',
          show: (_, row) => (
            <>
              {countOf(row, row.count_delivered)}
              {row.count_recipients >= FEW && (
                <span class="sub">{perCent(row.count_delivered / row.count_recipients)}</span>
              )}
            </>
          ),
        },
        { key: 'date_create', label: words.created, type: 'date', wide: true, show: (_, row) => date(row.date_create) },
      ]}
      rows={rows}
      sort={{
        by,
        down: sort.startsWith('-'),
        onSort: (pressed) => {
          const startsDown = pressed.startsWith('count') || pressed.startsWith('date');
          const down = pressed === by ? !sort.startsWith('-') : startsDown;
          go(here({ sort: `${down ? '-' : ''}${pressed}`, offset: '' }), { replace: true });
        },
      }}
    />
  );
}

/** A draft has no recipients yet. */
const countOf = (broadcast: Broadcast, count: number): string => (isDraft(broadcast) ? '–' : number(count));

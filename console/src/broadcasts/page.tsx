import type { BroadcastsAnswer } from '../../../src/api/broadcast/schemas.ts';
import { address, go, here, href } from '../address.ts';
import { request } from '../api.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Head } from '../parts/head.tsx';
import { Choice, Listing, usePages } from '../parts/pages.tsx';
import type { Bot } from '../session.ts';
import { type Broadcast, isRunning } from './broadcast.ts';
import { Composer } from './composer/composer.tsx';
import { BroadcastDetail } from './detail.tsx';
import { words } from './words.ts';

/** Entries of the address, and the filters of the API that they set. */
const FILTERS = [
  ['name', 'filters[name]'],
  ['status', 'filters[status]'],
] as const;

/** The bot's broadcasts, the latest first; or one of them, where the address names it. */
export function BroadcastsPage({ bot }: { readonly bot: Bot }) {
  const id = address.value.query.get('id');
  if (id === 'new') return <New bot={bot} />;
  return id === null ? <List bot={bot} /> : <BroadcastDetail key={id} bot={bot} id={id} />;
}

function New({ bot }: { readonly bot: Bot }) {
  return (
    <>
      <p>
        <a href={href('/broadcasts', { bot: bot.resource_key })}>{words.title}</a>
      </p>
      <Head title={words.new} />
      <Composer key="new" bot={bot} broadcast={null} onChanged={() => {}} />
    </>
  );
}

function List({ bot: { resource_key: bot } }: { readonly bot: Bot }) {
  const pages = usePages(
    (page) => {
      const query = new URLSearchParams(page);
      for (const [name, filter] of FILTERS) {
        const value = address.value.query.get(name);
        if (value !== null) query.set(filter, value);
      }
      return (signal) => request<BroadcastsAnswer>(`/v1/broadcast/list?${query}`, { bot, signal });
    },
    ({ items }) => items as readonly Broadcast[],
    { poll: ({ items }) => ((items as readonly Broadcast[]).some(isRunning) ? 'running' : 'still') },
  );
  const { query } = address.value;
  const [name, status] = FILTERS.map(([entry]) => query.get(entry) ?? '');
  return (
    <>
      <div class="btns">
        <Head title={words.title} />
        <a class="btn" href={href('/broadcasts', { bot, id: 'new' })}>
          {words.new}
        </a>
      </div>
      <Listing
        pages={pages}
        none={<p class="empty">{name || status ? words.noneFound : words.none}</p>}
        filters={
          <>
            <label>
              {words.name}
              <input
                class="input"
                type="search"
                value={name}
                onChange={(event) => go(here({ name: event.currentTarget.value, offset: '' }))}
              />
            </label>
            <Choice label={words.status} name="status" of={words.statuses} />
          </>
        }
      >
        <DataTable
          caption={words.title}
          columns={[
            {
              key: 'name',
              label: words.name,
              show: (_, { id, name }) => (
                <a href={href('/broadcasts', { bot, id: `${id}` })}>
                  <bdi>{name ?? words.unnamed(id)}</bdi>
                </a>
              ),
            },
            { key: 'status', label: words.status, show: (_, { status }) => words.statuses[status] },
            { key: 'count_recipients', label: words.recipients, type: 'number' },
            { key: 'count_delivered', label: words.parts.delivered, type: 'number' },
            { key: 'date_create', label: words.created, type: 'date' },
          ]}
          rows={pages.rows ?? []}
        />
      </Listing>
    </>
  );
}

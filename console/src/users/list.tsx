import type { BotUsers } from '../../../src/api/users/schemas.ts';
import { address, go, here, href } from '../address.ts';
import { request } from '../api.ts';
import { dayName, number } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Empty } from '../parts/empty.tsx';
import { Pending } from '../parts/failure.tsx';
import { Head } from '../parts/head.tsx';
import { useLoad } from '../parts/load.ts';
import { spokenValue } from '../parts/names.ts';
import { Pager } from '../parts/pager.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { Seg } from '../parts/seg.tsx';
import { UserLink } from '../parts/user-link.tsx';
import { StatusPill } from './status-pill.tsx';
import { words } from './words.ts';

type User = BotUsers['items'][number];

const SIZE = 25;

/** All users of a bot: found by name, username or id. */
export function UserList({ bot }: { readonly bot: string }) {
  const { query } = address.value;
  const { loaded, reload } = useLoad(
    () => {
      const asked = address.value.query;
      const entries = { search: asked.get('find') ?? '', order: orderIn(asked), offset: asked.get('offset') ?? '0' };
      return (signal) =>
        request<BotUsers>(`/v1/users/list?${new URLSearchParams({ ...entries, limit: `${SIZE}` })}`, { bot, signal });
    },
    { keep: true },
  );
  const { data, loading } = loaded.value;
  const asked = query.get('find') ?? '';
  return (
    <>
      <Head title={words.title} lead={data === undefined ? '\u00a0' : words.count(number(data.total))} />
      <Card
        title={words.title}
        flush={data !== undefined && data.items.length > 0}
        busy={loading}
        actions={
          <>
            <Seg
              label={words.order}
              value={orderIn(query)}
              of={words.orders}
              onPick={(order) => go(here({ order: order === 'newest' ? '' : order, offset: '' }))}
            />
            <SearchField label={words.find} />
          </>
        }
        footer={
          data !== undefined &&
          data.total > 0 && <Pager name="offset" size={SIZE} offset={Number(query.get('offset'))} total={data.total} />
        }
      >
        <Pending loaded={loaded.value} retry={reload} />
        {data?.items.length === 0 && (
          <Empty title={asked === '' ? words.none : words.noneFound}>
            {asked === '' ? <p>{words.noneYet}</p> : <a href={here({ find: '', offset: '' })}>{words.allUsers}</a>}
          </Empty>
        )}
        {data !== undefined && data.items.length > 0 && <UserTable bot={bot} users={data.items} />}
      </Card>
    </>
  );
}

function orderIn(query: URLSearchParams): keyof typeof words.orders {
  const order = query.get('order');
  return order === 'active' || order === 'name' ? order : 'newest';
}

function UserTable({ bot, users }: { readonly bot: string; readonly users: readonly User[] }) {
  const day = (value: unknown): string => (typeof value === 'string' ? dayName(value) : '–');
  return (
    <DataTable
      caption={words.list}
      columns={[
        { key: 'name', label: words.name, head: true, show: (_, user) => <UserLink bot={bot} user={user} /> },
        { key: 'username', label: words.username, show: (name) => (name === null ? '–' : `@${name}`), wide: true },
        { key: 'user_id', label: words.id, type: 'text' },
        {
          key: 'language_code',
          label: words.language,
          show: (code) => (typeof code === 'string' ? spokenValue('user.language_code', code) : '–'),
          wide: true,
        },
        { key: 'user_status', label: words.status, show: (_, user) => <StatusPill status={user.user_status} /> },
        { key: 'date_create', label: words.firstSeen, show: day, wide: true },
        { key: 'date_last_active', label: words.lastActive, show: day },
      ]}
      rows={users}
    />
  );
}

/** The list of users. */
export const usersLink = (bot: string): string => href('/users', { bot });

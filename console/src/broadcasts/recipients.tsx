import { useEffect, useRef } from 'preact/hooks';
import type { RecipientsAnswer } from '../../../src/api/broadcast/schemas.ts';
import { address, go, here } from '../address.ts';
import { request } from '../api.ts';
import { number } from '../format.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Pending } from '../parts/failure.tsx';
import { Icon } from '../parts/icon.tsx';
import { useLoad } from '../parts/load.ts';
import { Pager } from '../parts/pager.tsx';
import { loadPeople, type People } from '../parts/people.ts';
import { Pill, type PillProps } from '../parts/pill.tsx';
import { KnownUser } from '../parts/user-link.tsx';
import { type Broadcast, type Part, partsOf } from './broadcast.ts';
import { words } from './words.ts';

interface RecipientsProps {
  readonly bot: string;
  readonly broadcast: Broadcast;
}

const SIZE = 25;

type State = RecipientsAnswer['items'][number]['state'];
/** The tabs: a state, and the part of the progress that counts it. */
const TABS: readonly (readonly [State, Part])[] = [
  ['delivered', 'delivered'],
  ['not_delivered', 'not_delivered'],
  ['unknown', 'unknown'],
  ['cancelled', 'cancelled'],
  ['pending', 'left'],
];
const KINDS: Readonly<Record<State, PillProps['kind']>> = {
  delivered: 'good',
  not_delivered: 'bad',
  unknown: 'warn',
  cancelled: undefined,
  pending: undefined,
};
const ICONS = {
  delivered: 'check',
  not_delivered: 'close',
  unknown: 'help',
  cancelled: 'stop',
  pending: 'clock',
} as const;

/** The recipients with what became of each, a page at a time. */
export function Recipients({ bot, broadcast }: RecipientsProps) {
  const { id, count_recipients: total } = broadcast;
  const parts = partsOf(broadcast);
  const { loaded, reload } = useLoad(
    () => {
      const { query } = address.value;
      const state = query.get('state');
      const asked = new URLSearchParams({
        id: String(id),
        limit: `${SIZE}`,
        offset: query.get('offset') ?? '0',
        ...(state === null ? {} : { state }),
      });
      return async (signal) => {
        const page = await request<RecipientsAnswer>(`/v1/broadcast/recipients?${asked}`, { bot, signal });
        const ids = page.items.map(({ chat_id }) => chat_id);
        return { ...page, people: await loadPeople(bot, ids, signal) };
      };
    },
    { keep: true },
  );
  // The page is loaded again when the counts of the progress change.
  const seen = JSON.stringify([broadcast.status, parts]);
  const shown = useRef(seen);
  useEffect(() => {
    if (shown.current !== seen) reload();
    shown.current = seen;
  }, [seen]);
  if (total === 0) return null;
  const state = address.value.query.get('state') ?? '';
  const { data } = loaded.value;
  const csv = new URLSearchParams({ id: String(id), resource_key: bot, format: 'csv', ...(state && { state }) });
  const tab = (name: string, text: string, count: number) => (
    <button
      key={name}
      type="button"
      aria-pressed={state === name}
      onClick={() => go(here({ state: name, offset: '' }))}
    >
      {text} <span class="count">{number(count)}</span>
    </button>
  );
  return (
    <section class="card" aria-busy={loaded.value.loading}>
      <header>
        <h2 class="hidden">{words.recipients}</h2>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset does not scroll sideways */}
        <div class="seg" role="group" aria-label={words.state}>
          {tab('', words.all, total)}
          {TABS.filter(([name, part]) => parts[part] > 0 || state === name).map(([name, part]) =>
            tab(name, words.states[name], parts[part]),
          )}
        </div>
        <a class="btn" download href={`/v1/broadcast/recipients?${csv}`}>
          <Icon name="export" /> {words.csv}
        </a>
      </header>
      <div class="body flush">
        <Pending loaded={loaded.value} retry={reload} />
        {data !== undefined && <RecipientTable bot={bot} rows={data.items} people={data.people} />}
      </div>
      {data !== undefined && (
        <footer>
          <Pager name="offset" size={SIZE} offset={data.offset} total={data.total} />
        </footer>
      )}
    </section>
  );
}

interface TableProps {
  readonly bot: string;
  readonly rows: RecipientsAnswer['items'];
  readonly people: People;
}

function RecipientTable({ bot, rows, people }: TableProps) {
  return (
    <DataTable
      caption={words.recipients}
      columns={[
        {
          key: 'chat_id',
          label: words.recipient,
          head: true,
          // Groups and channels are no users.
          show: (_, { chat_id }) => (chat_id > 0 ? <KnownUser bot={bot} id={chat_id} people={people} /> : chat_id),
        },
        {
          key: 'state',
          label: words.state,
          show: (_, { state, reason }) => (
            <>
              <Pill kind={KINDS[state]} icon={ICONS[state]}>
                {words.states[state]}
              </Pill>{' '}
              {reason !== null && (
                <bdi class="cut quiet-text small-text" title={reason}>
                  {words.reasons[reason as keyof typeof words.reasons] ?? reason}
                </bdi>
              )}
            </>
          ),
        },
        { key: 'date', label: words.date, type: 'date' },
      ]}
      rows={rows}
    />
  );
}

import { useEffect, useRef } from 'preact/hooks';
import type { RecipientsAnswer } from '../../../src/api/broadcast/schemas.ts';
import { address } from '../address.ts';
import { request } from '../api.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Pending } from '../parts/failure.tsx';
import { Choice, usePages } from '../parts/pages.tsx';
import { UserId } from '../parts/user-id.tsx';
import { words } from './words.ts';

interface RecipientsProps {
  readonly bot: string;
  readonly id: string;
  readonly total: number;
  /** The status and the counts of the progress: the page is loaded again when they change. */
  readonly seen: string;
}

/** The recipients with what became of each, a page at a time. */
export function Recipients({ bot, id, total, seen }: RecipientsProps) {
  const state = address.value.query.get('state') ?? '';
  const { loaded, reload, rows, pager } = usePages(
    (page) => {
      const state = address.value.query.get('state');
      const query = new URLSearchParams({ id, ...page, ...(state === null ? {} : { state }) });
      return (signal) => request<RecipientsAnswer>(`/v1/broadcast/recipients?${query}`, { bot, signal });
    },
    ({ items }) => items,
  );
  const shown = useRef(seen);
  useEffect(() => {
    if (shown.current !== seen) reload();
    shown.current = seen;
  }, [seen]);
  if (total === 0) return null;
  return (
    <section aria-busy={loaded.value.loading}>
      <h2>{words.recipients}</h2>
      <div class="btns">
        <Choice label={words.state} name="state" of={words.states} />
        <a
          class="btn"
          download
          href={`/v1/broadcast/recipients?${new URLSearchParams({
            id,
            resource_key: bot,
            format: 'csv',
            ...(state && { state }),
          })}`}
        >
          {words.csv}
        </a>
      </div>
      <Pending loaded={loaded.value} retry={reload} />
      {rows !== undefined && (
        <DataTable
          caption={words.recipients}
          columns={[
            {
              key: 'chat_id',
              label: words.chat,
              // Groups and channels have negative ids.
              show: (chat) => (Number(chat) > 0 ? <UserId id={Number(chat)} /> : String(chat)),
            },
            {
              key: 'state',
              label: words.state,
              show: (_, { state }) => words.states[state],
            },
            {
              key: 'reason',
              label: words.reason,
              show: (_, { reason }) => words.reasons[reason as keyof typeof words.reasons] ?? reason ?? '–',
            },
            { key: 'date', label: words.date, type: 'date' },
          ]}
          rows={rows}
        />
      )}
      {pager}
    </section>
  );
}

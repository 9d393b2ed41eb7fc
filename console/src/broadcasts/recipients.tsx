import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { request, type Value } from '../api.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Failure } from '../parts/failure.tsx';
import { useLoad } from '../parts/load.ts';
import { texts } from '../texts.ts';

const words = texts.broadcasts;
const STATES = ['pending', 'delivered', 'not_delivered', 'unknown', 'cancelled'] as const;
const PAGE = 50;

interface RecipientsProps {
  readonly bot: string;
  readonly id: string;
  readonly total: number;
  /** The status and the counts of the progress: the page is loaded again when they change. */
  readonly seen: string;
}

interface Page {
  readonly items: readonly Readonly<Record<string, Value>>[];
  readonly total: number;
}

/** The recipients with what became of each, a page at a time. */
export function Recipients({ bot, id, total, seen }: RecipientsProps) {
  const state = useSignal('');
  const offset = useSignal(0);
  const shown = useRef(seen);
  const { loaded, reload } = useLoad(() => {
    const query = new URLSearchParams({ id, limit: String(PAGE), offset: String(offset.value) });
    if (state.value !== '') query.set('state', state.value);
    return (signal) => request<Page>(`/v1/broadcast/recipients?${query}`, { bot, signal });
  });
  useEffect(() => {
    if (shown.current !== seen) reload();
    shown.current = seen;
  }, [seen]);
  const { data, error } = loaded.value;
  if (total === 0) return null;
  return (
    <section>
      <h2>{words.recipients}</h2>
      <div class="row">
        <label>
          {words.state}
          <select
            value={state.value}
            onChange={(event) => {
              state.value = event.currentTarget.value;
              offset.value = 0;
            }}
          >
            <option value="">{words.every}</option>
            {STATES.map((name) => (
              <option key={name} value={name}>
                {words.states[name]}
              </option>
            ))}
          </select>
        </label>
        <a
          class="button"
          download
          href={`/v1/broadcast/recipients?${new URLSearchParams({
            id,
            resource_key: bot,
            format: 'csv',
            ...(state.value === '' ? {} : { state: state.value }),
          })}`}
        >
          {words.csv}
        </a>
      </div>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {data !== undefined && (
        <>
          <DataTable
            caption={words.recipients}
            columns={[
              { key: 'chat_id', label: words.chat, type: 'string' },
              {
                key: 'state',
                label: words.state,
                type: 'string',
                show: (value) => words.states[value as keyof typeof words.states],
              },
              {
                key: 'reason',
                label: words.reason,
                type: 'string',
                show: (value) => words.reasons[value as keyof typeof words.reasons] ?? value ?? '–',
              },
              { key: 'date', label: words.date, type: 'string' },
            ]}
            rows={data.items}
          />
          <div class="row">
            <button type="button" disabled={offset.value === 0} onClick={() => (offset.value -= PAGE)}>
              {texts.previousPage}
            </button>
            <button type="button" disabled={offset.value + PAGE >= data.total} onClick={() => (offset.value += PAGE)}>
              {texts.nextPage}
            </button>
          </div>
        </>
      )}
    </section>
  );
}

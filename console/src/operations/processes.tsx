import { request } from '../api.ts';
import { duration, number } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { type DataColumn, DataTable } from '../parts/data-table.tsx';
import { Pending } from '../parts/failure.tsx';
import { useLoad } from '../parts/load.ts';
import { Pill } from '../parts/pill.tsx';
import type { BackgroundProcess, BotErrorGroup } from './answers.ts';
import { ErrorText } from './error-text.tsx';
import { words } from './words.ts';

const PROCESS_COLUMNS: readonly DataColumn<BackgroundProcess>[] = [
  { key: 'name', label: words.process, head: true },
  {
    key: 'state',
    label: words.state,
    show: (_, { state, error, failures }) => (
      <>
        {state === 'live' ? <Pill kind="good">{words.runs}</Pill> : <Pill kind="bad">{words.fails}</Pill>}
        {failures.length === 0 && error !== null && <ErrorText text={error} />}
        {failures.map((failure) => (
          <ErrorText key={failure.subject} text={`${failure.subject}: ${failure.error}`} />
        ))}
      </>
    ),
  },
  {
    key: 'lag',
    label: words.lag,
    type: 'lag',
    show: (_, { lag }) => (lag.events === 0 ? words.upToDate : words.behind(duration(lag.seconds), number(lag.events))),
  },
  {
    key: 'lease',
    label: words.lease,
    show: (_, { lease }) => (lease === null ? words.noLease : words.instance(lease.holder.slice(0, 8))),
  },
];

const ERROR_COLUMNS: readonly DataColumn<BotErrorGroup>[] = [
  { key: 'message', label: words.message, type: 'message', head: true },
  { key: 'source', label: words.source },
  { key: 'count', label: words.count, type: 'number' },
  { key: 'unresolved', label: words.unresolved, type: 'number' },
  { key: 'bots', label: words.bots, type: 'number' },
  { key: 'last', label: words.last, type: 'when' },
];

/** The background processes, the instance that does the work of each, and the work that fails. */
export function Processes({ processes }: { readonly processes: readonly BackgroundProcess[] }) {
  return (
    <Card title={words.processes} flush={processes.length > 0}>
      {processes.length === 0 ? (
        <p>{words.noProcesses}</p>
      ) : (
        <DataTable caption={words.processes} columns={PROCESS_COLUMNS} rows={processes} />
      )}
    </Card>
  );
}

/** Bot errors of all bots, grouped by message. They are loaded once: the query looks through all errors of a week. */
export function BotErrors() {
  const { loaded, reload } = useLoad(
    () => (signal) => request<{ readonly items: readonly BotErrorGroup[] }>('/admin/v1/bot-errors', { signal }),
  );
  const { data } = loaded.value;
  return (
    <Card
      title={words.botErrors}
      flush={data !== undefined && data.items.length > 0}
      actions={
        data !== undefined && (
          <button class="btn small" type="button" onClick={reload}>
            {words.refresh}
          </button>
        )
      }
    >
      <Pending loaded={loaded.value} retry={reload} />
      {data?.items.length === 0 && <p>{words.noBotErrors}</p>}
      {data !== undefined && data.items.length > 0 && (
        <DataTable caption={words.botErrors} columns={ERROR_COLUMNS} rows={data.items} />
      )}
    </Card>
  );
}

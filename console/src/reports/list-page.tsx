import { href } from '../address.ts';
import { dayName } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { Cut } from '../parts/cut.tsx';
import { Empty } from '../parts/empty.tsx';
import { Pending } from '../parts/failure.tsx';
import { Head } from '../parts/head.tsx';
import { Icon } from '../parts/icon.tsx';
import type { Loaded } from '../parts/load.ts';
import { SortedTable } from '../parts/sorted-table.tsx';
import type { Bot } from '../session.ts';
import { readConfig } from './config.ts';
import { periodText } from './question/period-chips.tsx';
import type { SavedReport } from './saved-report.ts';
import { START } from './state.ts';
import { words } from './words.ts';

interface ListPageProps {
  readonly bot: Bot;
  readonly loaded: Loaded<{ readonly items: readonly SavedReport[] }>;
  readonly reload: () => void;
}

/** The saved reports of a bot, the newest first. */
export function ListPage({ bot, loaded, reload }: ListPageProps) {
  const key = bot.resource_key;
  const { data } = loaded;
  const add = (
    <a class="btn primary" href={href('/reports/new', { bot: key })}>
      <Icon name="plus" /> {words.new}
    </a>
  );
  return (
    <>
      <Head title={words.title}>{add}</Head>
      <Pending loaded={loaded} retry={reload} />
      {data?.items.length === 0 && (
        <Empty title={words.noSaved}>
          <p>{words.noSavedYet}</p>
          {add}
        </Empty>
      )}
      {data !== undefined && data.items.length > 0 && (
        <Card title={words.saved} flush>
          <SortedTable
            name="saved"
            order="-date_create"
            caption={words.title}
            rows={data.items.map((report) => ({ ...report, ...about(report) }))}
            textOf={({ name }) => name}
            sortValue={(row, by) => row[by as 'name' | 'kind' | 'period' | 'date_create']}
            columns={[
              {
                key: 'name',
                label: words.name,
                head: true,
                show: (_, { uuid, name, pinned }) => (
                  <>
                    <a href={href(`/reports/${uuid}`, { bot: key })}>
                      <Cut text={name} />
                    </a>{' '}
                    {pinned && <Icon name="pin" />}
                    {pinned && <span class="hidden">{words.pinned}</span>}
                  </>
                ),
              },
              { key: 'kind', label: words.type, wide: true },
              { key: 'period', label: words.period, wide: true },
              { key: 'date_create', label: words.savedAt, show: (_, { date_create }) => dayName(date_create) },
            ]}
          />
        </Card>
      )}
    </>
  );
}

/** The kind and the period of a saved report, in words. */
function about({ report_config }: SavedReport): { readonly kind: string; readonly period: string } {
  const read = readConfig(report_config, START);
  if (read === null) return { kind: '–', period: '–' };
  const types: Readonly<Record<string, string>> = words.types;
  return { kind: types[read.state.type] ?? '–', period: periodText(read.state.period) };
}

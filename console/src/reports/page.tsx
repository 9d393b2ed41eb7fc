import { useSignal } from '@preact/signals';
import { address, href } from '../address.ts';
import { request } from '../api.ts';
import { Pending } from '../parts/failure.tsx';
import { Head } from '../parts/head.tsx';
import { useLoad } from '../parts/load.ts';
import { Note } from '../parts/note.tsx';
import type { Bot } from '../session.ts';
import { ListPage } from './list-page.tsx';
import { questionOf, uuidOf } from './question-of.ts';
import { ReportPage } from './report-page.tsx';
import type { SavedReport } from './saved-report.ts';
import { words } from './words.ts';

/** The saved reports, or the report that the address names. */
export function ReportsPage({ bot }: { readonly bot: Bot }) {
  const key = bot.resource_key;
  const { loaded, reload } = useLoad(
    () => (signal) => request<{ items: SavedReport[] }>('/v1/reports/list', { bot: key, signal }),
    { poll: () => 'still' },
  );
  /** Reports that were saved here, which the list may not have yet. */
  const own = useSignal<readonly SavedReport[]>([]);
  const { path, query } = address.value;
  if (path === '/reports' && !query.has('report')) return <ListPage bot={bot} loaded={loaded.value} reload={reload} />;
  const uuid = uuidOf(address.value);
  const saved = [...own.value, ...(loaded.value.data?.items ?? [])].find((report) => report.uuid === uuid);
  const question = questionOf(address.value, saved);
  if (question === undefined)
    return (
      <>
        <Head title={words.title} crumb={{ href: href('/reports', { bot: key }), text: words.title }} />
        {loaded.value.data === undefined ? (
          <Pending loaded={loaded.value} retry={reload} />
        ) : (
          <Note kind="warn" what={words.noSuchReport} />
        )}
      </>
    );
  return (
    <ReportPage
      // A report that is saved for the first time stays as it is on the page.
      key={own.value.some((report) => report.uuid === uuid) ? 'new' : (uuid ?? 'new')}
      bot={bot}
      question={question}
      saved={saved}
      onSaved={(report) => {
        own.value = [report, ...own.value.filter((other) => other.uuid !== report.uuid)];
        reload();
      }}
    />
  );
}

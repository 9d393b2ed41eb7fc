import { computed, type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { address, go, href } from '../address.ts';
import { request, requestText, sendChange } from '../api.ts';
import { useAttempt } from '../parts/attempt.ts';
import { loadCatalog } from '../parts/catalog.ts';
import { copy } from '../parts/copy.ts';
import { curl } from '../parts/curl.ts';
import { Failure } from '../parts/failure.tsx';
import { FirstEvent } from '../parts/first-event.tsx';
import { Head } from '../parts/head.tsx';
import { type Loaded, useLoad } from '../parts/load.ts';
import type { Bot } from '../session.ts';
import { Builder } from './builder.tsx';
import { configOf, type ReportConfig, savedConfigOf, stateOf } from './config.ts';
import { type Days, daysOf } from './period.ts';
import { runReport } from './run.ts';
import { type ReportState, readState, START, writeState } from './state.ts';
import { useUsers } from './users-dialog.tsx';
import { Footnotes, View } from './view.tsx';
import { words } from './words.ts';

const stateText = computed(() => address.value.query.get('report'));

/** The report of the address: its form, its answer, and the saved reports. */
export function ReportsPage({ bot }: { readonly bot: Bot }) {
  const key = bot.resource_key;
  const report = useComputed(() => readState(stateText.value));
  const state = useComputed(() => report.value.state);
  const catalog = useLoad(() => (signal) => loadCatalog(key, signal));
  const answer = useLoad(
    () => {
      const asked = state.value;
      return (signal) => runReport(asked, bot, signal);
    },
    // An answer is shown with its own state, and names its period.
    { keep: true },
  );
  const saved = useLoad(() => (signal) => request<{ items: SavedReport[] }>('/v1/reports/list', { bot: key, signal }), {
    poll: () => 'still',
  });
  const users = useUsers(bot);
  const change = (next: ReportState, replace = false): void =>
    go(href('/reports', { bot: key, report: next === START ? undefined : writeState(next) }), { replace });
  const { data: known, error: unknown } = catalog.loaded.value;
  const { data, error, loading } = answer.loaded.value;
  const { leftOut } = report.value;
  return (
    <>
      <Head title={words.title} />
      {leftOut?.length !== 0 && (
        <p role="alert">{leftOut === null ? words.unreadable : words.leftOut(leftOut.join(', '))}</p>
      )}
      <div class="with-side">
        <div>
          {unknown !== undefined && <Failure error={unknown} retry={catalog.reload} />}
          {known !== undefined && known.events.length === 0 && <FirstEvent bot={key} />}
          {known !== undefined && <Builder bot={key} catalog={known} state={state.value} onChange={change} />}
          <section class="answer" aria-busy={loading} aria-live="polite">
            {error !== undefined && <Failure error={error} retry={answer.reload} />}
            {data !== undefined && error === undefined && (
              <>
                <View
                  state={data.state}
                  answer={data.answer}
                  previous={data.previous}
                  onCell={(cell, title) => users.open({ report_config: data.config }, cell, title)}
                />
                <Footnotes answer={data.answer} />
              </>
            )}
            {loading && <p class="quiet-text">{words.run}</p>}
          </section>
          <Actions
            bot={bot}
            current={state}
            name={saved.loaded.value.data?.items.find(({ uuid }) => uuid === state.value.uuid)?.name ?? ''}
            change={change}
            onSaved={saved.reload}
          />
        </div>
        {users.dialog}
        <SavedReports saved={saved.loaded.value} reload={saved.reload} change={change} />
      </div>
    </>
  );
}

interface SavedReport {
  readonly uuid: string;
  readonly name: string;
  readonly report_config: ReportConfig;
}

interface ActionsProps {
  readonly bot: Bot;
  readonly current: ReadonlySignal<ReportState>;
  /** The name of the saved report; '': the report is not saved. */
  readonly name: string;
  readonly change: (state: ReportState, replace?: boolean) => void;
  readonly onSaved: () => void;
}

/** Saves the report, and takes it elsewhere. */
function Actions({ bot, current, name: saved, change, onSaved }: ActionsProps) {
  const state = current.value;
  /** The last action, and its report: beside another report it is not shown. */
  const done = useSignal<readonly [string, ReportState]>(['', state]);
  const left = useRef(false);
  useEffect(
    () => () => {
      left.current = true;
    },
    [],
  );
  const { error, run } = useAttempt();
  const days = (): Days => daysOf(state.period, bot.timezone, new Date());
  const config = (): ReportConfig => configOf(state, days());
  const attempt = (work: () => Promise<string>): Promise<void> =>
    run(async () => {
      done.value = [await work(), current.peek()];
    });

  const save = (name: string, uuid: string | undefined): Promise<void> =>
    attempt(async () => {
      const body = { name, report_config: savedConfigOf(state, days()), ...(uuid === undefined ? {} : { uuid }) };
      const { data } = await sendChange<{ uuid: string }>('/v1/reports/save', body, bot.resource_key);
      const now = current.peek();
      if (left.current) return '';
      onSaved();
      // Changes since the press stay, unsaved. Another report that was opened stays, too.
      if (now === state || (now !== START && now.uuid === state.uuid)) change({ ...now, uuid: data.uuid }, true);
      return now === state ? words.saved_ : '';
    });

  const csv = (): Promise<void> =>
    attempt(async () => {
      const body = { report_config: config(), format: 'csv' };
      const text = await requestText('/v1/reports/run', { method: 'POST', bot: bot.resource_key, body });
      download('report.csv', 'text/csv', text);
      return '';
    });

  return (
    <form
      class="btns"
      onSubmit={(event) => {
        event.preventDefault();
        const submitter = (event as SubmitEvent).submitter as HTMLButtonElement | null;
        const name = String(new FormData(event.currentTarget).get('name')).trim();
        void save(name, submitter?.value === 'copy' ? undefined : state.uuid);
      }}
    >
      <label>
        {words.name}
        <input class="input" key={saved} name="name" required maxLength={250} defaultValue={saved} />
      </label>
      <button type="submit" class="btn primary" value="save">
        {words.save}
      </button>
      {state.uuid !== undefined && (
        <button class="btn" type="submit" value="copy">
          {words.saveAs}
        </button>
      )}
      <button class="btn" type="button" onClick={() => void csv()}>
        {words.csv}
      </button>
      <button
        class="btn"
        type="button"
        onClick={() =>
          void attempt(() => copy(curl('reports/run', bot.resource_key, JSON.stringify({ report_config: config() }))))
        }
      >
        {words.copyCurl}
      </button>
      <button class="btn" type="button" onClick={() => void attempt(() => copy(JSON.stringify(config(), null, 2)))}>
        {words.copyConfig}
      </button>
      <output>{done.value[1] === state && done.value[0]}</output>
      {error.value !== undefined && <Failure error={error.value} />}
    </form>
  );
}

function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

interface SavedReportsProps {
  readonly saved: Loaded<{ readonly items: readonly SavedReport[] }>;
  readonly reload: () => void;
  readonly change: (state: ReportState) => void;
}

function SavedReports({ saved: { data, error }, reload, change }: SavedReportsProps) {
  const search = useSignal('');
  /** The name of a report that the builder cannot show as it is. */
  const beyond = useSignal<string | null>(null);
  const saved = data?.items ?? [];
  const found = saved.filter(({ name }) => name.toLocaleLowerCase().includes(search.value.toLocaleLowerCase()));

  const open = ({ uuid, name, report_config }: SavedReport): void => {
    const state = stateOf(report_config, START);
    beyond.value = state === null ? name : null;
    if (state !== null) change({ ...state, uuid });
  };

  return (
    <aside>
      <h2>{words.saved}</h2>
      <button class="btn" type="button" onClick={() => change(START)}>
        {words.new}
      </button>
      <input
        class="input"
        type="search"
        aria-label={words.search}
        placeholder={words.search}
        onInput={(event) => {
          search.value = event.currentTarget.value;
        }}
      />
      {error !== undefined && <Failure error={error} retry={reload} />}
      {beyond.value !== null && <p class="warning">{words.beyondBuilder(beyond.value)}</p>}
      {data?.items.length === 0 && <p class="quiet-text">{words.noSaved}</p>}
      <ul class="saved">
        {found.map((report) => (
          <li key={report.uuid}>
            <button type="button" class="btn quiet small" onClick={() => open(report)}>
              {report.name}
            </button>
          </li>
        ))}
      </ul>
    </aside>
  );
}

import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { address, go, here } from '../address.ts';
import { RequestError } from '../api.ts';
import { instant } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { fileName } from '../parts/csv.ts';
import { saveFile } from '../parts/download.ts';
import { Head } from '../parts/head.tsx';
import { Icon } from '../parts/icon.tsx';
import { Note } from '../parts/note.tsx';
import { Seg } from '../parts/seg.tsx';
import { type Bot, session } from '../session.ts';
import { fileSize } from './file-size.ts';
import { requestExport } from './request-export.ts';
import { words } from './words.ts';
import './exports.css';

type Kind = keyof typeof words.kinds;
type Format = keyof typeof words.formats;

interface Asked {
  readonly kind: Kind;
  readonly format: Format;
  /** Days as YYYY-MM-DD; empty: no bound. */
  readonly from: string;
  readonly to: string;
  readonly raw: boolean;
}

type State =
  | { readonly is: 'idle' }
  | { readonly is: 'running'; readonly name: string; readonly bytes: number }
  | { readonly is: 'done'; readonly name: string; readonly bytes: number; readonly asOf: string }
  | { readonly is: 'failed'; readonly message: string };

/** Gives the rows of a bot as a file. */
export function ExportsPage({ bot }: { readonly bot: Bot }) {
  const asked = askedIn(address.value.query);
  const { state, start, stop } = useExport(bot);
  const isFree = session.value?.kind !== 'operator' && session.value?.plan === 'free';
  const isRefused = isFree && asked.kind !== 'accruals';
  const isRunning = state.is === 'running';
  const isWrong = asked.from !== '' && asked.to !== '' && asked.from > asked.to;
  return (
    <>
      <Head title={words.title} lead={words.lead} />
      {isRefused && <Note kind="warn" what={words.premium} />}
      <Card
        title={words.choose}
        footer={
          <>
            <span>{nameOf(bot, asked)}</span>
            <span class="btns">
              {isRunning && (
                <button type="button" class="btn" onClick={stop}>
                  {words.stop}
                </button>
              )}
              <button
                type="button"
                class="btn primary"
                disabled={isRunning || isWrong || isRefused}
                onClick={() => void start(asked)}
              >
                <Icon name="export" /> {words.start}
              </button>
            </span>
          </>
        }
      >
        <ExportForm asked={asked} isWrong={isWrong} />
      </Card>
      <Outcome state={state} />
    </>
  );
}

function ExportForm({ asked, isWrong }: { readonly asked: Asked; readonly isWrong: boolean }) {
  const id = useId();
  const bound = (name: 'from' | 'to') => (
    <div class="field">
      <label for={`${id}-${name}`}>{words[name]}</label>
      <input
        id={`${id}-${name}`}
        class="input"
        type="date"
        value={asked[name]}
        aria-invalid={isWrong}
        aria-describedby={`${id}-period`}
        onChange={({ currentTarget }) => go(here({ [name]: currentTarget.value }), { replace: true })}
      />
    </div>
  );
  const pick = (entry: string, usual: string) => (value: string) =>
    go(here({ [entry]: value === usual ? '' : value }), { replace: true });
  return (
    <div class="export">
      <div class="field">
        <span class="label">{words.kind}</span>
        <Seg label={words.kind} value={asked.kind} of={words.kinds} onPick={pick('kind', 'events')} />
        <span class="hint">{words.means[asked.kind]}</span>
      </div>
      <div class="field">
        <div class="days">
          {bound('from')}
          {bound('to')}
        </div>
        <span class={isWrong ? 'wrong' : 'hint'} id={`${id}-period`} role="status">
          {isWrong ? words.wrongOrder : words.periodMeans}
        </span>
      </div>
      <div class="field">
        <span class="label">{words.format}</span>
        <Seg label={words.format} value={asked.format} of={words.formats} onPick={pick('format', 'csv')} />
        <span class="hint">{words.formatMeans[asked.format]}</span>
      </div>
      {asked.format === 'csv' && (
        <label class="check">
          <input
            type="checkbox"
            checked={asked.raw}
            onChange={({ currentTarget }) => go(here({ raw: currentTarget.checked ? 'true' : '' }), { replace: true })}
          />
          <span>
            {words.raw}
            <small>{words.rawMeans}</small>
          </span>
        </label>
      )}
    </div>
  );
}

function Outcome({ state }: { readonly state: State }) {
  switch (state.is) {
    case 'idle':
      return null;
    case 'running':
      return <Note kind="now" what={words.running(state.name, fileSize(state.bytes))} />;
    case 'failed':
      return <Note kind="bad" what={state.message} />;
    case 'done':
      return (
        <Note kind="good" what={words.done(state.name, fileSize(state.bytes))}>
          <p>{words.asOf(instant(state.asOf))}</p>
        </Note>
      );
  }
}

/** Runs one export at once, until the page is left. */
function useExport(bot: Bot) {
  const state = useSignal<State>({ is: 'idle' });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  return {
    state: state.value,
    stop: () => running.current?.abort(),
    async start(asked: Asked): Promise<void> {
      const abort = new AbortController();
      running.current = abort;
      const name = nameOf(bot, asked);
      state.value = { is: 'running', name, bytes: 0 };
      try {
        const { content, asOf } = await requestExport(pathOf(asked), bot.resource_key, abort.signal, (bytes) => {
          state.value = { is: 'running', name, bytes };
        });
        saveFile(name, content);
        state.value = { is: 'done', name, bytes: content.size, asOf };
      } catch (error) {
        if (!abort.signal.aborted && !(error instanceof RequestError)) throw error;
        state.value = { is: 'failed', message: abort.signal.aborted ? words.stopped : (error as Error).message };
      }
    },
  };
}

function askedIn(query: URLSearchParams): Asked {
  const one = <Name extends string>(of: Readonly<Record<Name, string>>, entry: string, usual: Name): Name => {
    const given = query.get(entry) ?? '';
    return Object.hasOwn(of, given) ? (given as Name) : usual;
  };
  const dayIn = (entry: string): string => /^\d{4}-\d\d-\d\d$/.exec(query.get(entry) ?? '')?.[0] ?? '';
  const format = one(words.formats, 'format', 'csv');
  return {
    kind: one(words.kinds, 'kind', 'events'),
    format,
    from: dayIn('from'),
    to: dayIn('to'),
    raw: format === 'csv' && query.get('raw') === 'true',
  };
}

function pathOf({ kind, format, from, to, raw }: Asked): string {
  const query = { format, ...(from && { from }), ...(to && { to }), ...(raw && { raw: 'true' }) };
  return `/v1/export/${kind}?${new URLSearchParams(query)}`;
}

/** Says the bot, the rows and the period. */
function nameOf({ name }: Bot, { kind, format, from, to }: Asked): string {
  const period = [from && `from ${from}`, to && `to ${to}`].filter(Boolean).join(' ');
  return `${fileName([name, words.kinds[kind], period].filter(Boolean).join(', '))}.${format}`;
}

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { go, href } from '../address.ts';
import { sendChange } from '../api.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Confirm } from '../parts/confirm.tsx';
import { copy } from '../parts/copy.ts';
import { curl } from '../parts/curl.ts';
import { downloadCsv } from '../parts/download.ts';
import { Failure } from '../parts/failure.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu, type MenuItem } from '../parts/menu.tsx';
import type { Bot } from '../session.ts';
import { csvOfReport } from './answer-csv.ts';
import { configOf, savedConfigOf } from './config.ts';
import { type Days, daysOf } from './period.ts';
import type { RunReport } from './run.ts';
import type { SavedReport } from './saved-report.ts';
import { type ReportState, writeState } from './state.ts';
import { words } from './words.ts';

export interface ActionsProps {
  readonly bot: Bot;
  readonly state: ReportState;
  /** The present state, which may have changed since a press. */
  readonly now: () => ReportState;
  readonly saved: SavedReport | undefined;
  /** The form has the report, and it is not saved as it is. */
  readonly canSave: boolean;
  /** The answer that is shown; undefined: none yet. */
  readonly run: RunReport | undefined;
  readonly title: string;
  /** Takes a report that was saved or changed. */
  readonly onSaved: (report: SavedReport, asked: ReportState) => void;
}

type Asking = 'save' | 'copy' | 'rename' | 'delete';

/** Keeps the report, and takes it elsewhere. */
export function Actions(props: ActionsProps) {
  const { bot, state, saved, canSave, run, title } = props;
  const asking = useSignal<Asking | null>(null);
  /** The result of the last action, and its question. */
  const done = useSignal<readonly [string, string]>(['', '']);
  const attempt = useAttempt();
  const changes = useChanges(props, attempt.run, (text) => {
    done.value = [text, writeState(props.now())];
  });
  const config = () => configOf(state, daysOf(state.period, bot.timezone, new Date()));
  const say = async (work: Promise<string>): Promise<void> => {
    done.value = [await work, writeState(props.now())];
  };
  const items: (MenuItem | false)[] = [
    { text: words.copyCurl, icon: 'copy', onPick: () => void say(copy(curlOf(run, bot, config()))) },
    {
      text: words.copyConfig,
      icon: 'copy',
      onPick: () => void say(copy(JSON.stringify(configIn(run, saved) ?? config(), null, 2))),
    },
    saved !== undefined && { text: words.saveAs, icon: 'plus', onPick: () => ask('copy') },
    saved !== undefined && { text: words.rename, icon: 'edit', onPick: () => ask('rename') },
    saved !== undefined && { text: words.delete, icon: 'close', isBad: true, onPick: () => ask('delete') },
  ];
  const ask = (what: Asking): void => {
    asking.value = what;
  };
  const close = (): void => {
    asking.value = null;
  };
  return (
    <>
      <span role="status" class="quiet-text small-text">
        {done.value[1] === writeState(state) && done.value[0]}
      </span>
      {saved !== undefined && (
        <button type="button" class="btn" aria-pressed={saved.pinned} onClick={() => void changes.pin(!saved.pinned)}>
          <Icon name="pin" /> {saved.pinned ? words.pinned : words.pin}
        </button>
      )}
      <button
        type="button"
        class="btn"
        disabled={run === undefined}
        onClick={() =>
          void attempt.run(async () => downloadCsv(fileTitle(title, run!), await csvOfReport(run!, bot.resource_key)))
        }
      >
        <Icon name="export" /> {words.csv_}
      </button>
      <Menu label={words.more} items={items.filter((item) => item !== false)} />
      <button
        type="button"
        class="btn primary"
        disabled={!canSave}
        onClick={() => (saved === undefined ? ask('save') : void changes.save(saved.name, saved))}
      >
        {canSave ? words.save : words.isSaved}
      </button>
      {attempt.error.value !== undefined && asking.value === null && <Failure error={attempt.error.value} />}
      {asking.value !== null && (
        <Ask
          what={asking.value}
          name={saved?.name ?? ''}
          attempt={attempt}
          onNo={close}
          onYes={async (name) => {
            const what = asking.value;
            if (what === 'delete') await changes.remove();
            else if (what === 'rename') await changes.rename(name);
            else await changes.save(name, undefined);
            if (attempt.error.value === undefined) close();
          }}
        />
      )}
    </>
  );
}

interface AskProps {
  readonly what: Asking;
  readonly name: string;
  readonly attempt: ReturnType<typeof useAttempt>;
  readonly onYes: (name: string) => Promise<void>;
  readonly onNo: () => void;
}

/** Asks for a name, or whether to delete. */
function Ask({ what, name, attempt, onYes, onNo }: AskProps) {
  const typed = useSignal(what === 'copy' ? words.copyOf(name) : name);
  const texts = words.asks[what];
  return (
    <Confirm
      question={what === 'delete' ? words.deleteQuestion(name) : texts.question}
      action={texts.action}
      attempt={attempt}
      onNo={onNo}
      onYes={() => onYes(typed.value.trim())}
    >
      {what === 'delete' ? (
        <p>{words.deleteMeans}</p>
      ) : (
        <label class="full">
          {words.name}
          <input
            class="input"
            name="name"
            required
            maxLength={250}
            pattern=".*\S.*"
            value={typed.value}
            onInput={(event) => {
              typed.value = event.currentTarget.value;
            }}
          />
        </label>
      )}
    </Confirm>
  );
}

/** The changes of saved reports. Each is one request; `said` takes what became of it. */
function useChanges(
  { bot, state, now, saved, onSaved }: ActionsProps,
  run: ReturnType<typeof useAttempt>['run'],
  said: (text: string) => void,
) {
  const left = useRef(false);
  useEffect(
    () => () => {
      left.current = true;
    },
    [],
  );
  const key = bot.resource_key;
  const days = (): Days => daysOf(state.period, bot.timezone, new Date());
  return {
    save: (name: string, replaced: SavedReport | undefined) =>
      run(async () => {
        const report_config = savedConfigOf(state, days());
        const body = { name, report_config, ...(replaced === undefined ? {} : { uuid: replaced.uuid }) };
        const { data } = await sendChange<{ uuid: string }>('/v1/reports/save', body, key);
        if (left.current) return;
        const made = { pinned: false, date_create: new Date().toISOString(), ...replaced };
        onSaved({ ...made, uuid: data.uuid, name, report_config }, state);
        if (writeState(now()) === writeState(state)) said(words.saved_);
      }),
    rename: (name: string) =>
      run(async () => {
        const { uuid, report_config } = saved!;
        await sendChange('/v1/reports/save', { uuid, name, report_config }, key);
        if (!left.current) onSaved({ ...saved!, name }, state);
      }),
    pin: (pinned: boolean) =>
      run(async () => {
        await sendChange('/v1/reports/pin', { uuid: saved!.uuid, pinned }, key);
        if (!left.current) onSaved({ ...saved!, pinned }, state);
      }),
    remove: () =>
      run(async () => {
        await sendChange('/v1/reports/delete', { uuid: saved!.uuid }, key);
        go(href('/reports', { bot: key }));
        document.querySelector('main')?.focus();
      }),
  };
}

/** The configuration that was asked; undefined: the report was asked by its uuid. */
const configIn = (run: RunReport | undefined, saved: SavedReport | undefined): unknown =>
  run !== undefined && 'uuid' in run.asked ? saved?.report_config : undefined;

function curlOf(run: RunReport | undefined, bot: Bot, report_config: object): string {
  const body = run !== undefined && 'uuid' in run.asked ? run.asked : { report_config };
  return curl('reports/run', bot.resource_key, JSON.stringify(body));
}

/** The name of a file: the report, its days, and whether it is compared. */
function fileTitle(title: string, { answer, previous }: RunReport): string {
  const days = [answer.meta.date_from, answer.meta.date_to].map((at) => at.slice(0, 10));
  const compared = previous === undefined ? '' : `, ${words.csv.compared}`;
  return `${title}, ${[...new Set(days)].join(` ${words.csv.to} `)}${compared}`;
}

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { address, go, href } from '../address.ts';
import { dayName } from '../format.ts';
import { type Catalog, loadCatalog, loadEvents } from '../parts/catalog.ts';
import { Failure } from '../parts/failure.tsx';
import { FirstEvent } from '../parts/first-event.tsx';
import { Head } from '../parts/head.tsx';
import { useLoad } from '../parts/load.ts';
import { Note } from '../parts/note.tsx';
import { openQuestion } from '../parts/open-question.ts';
import { Pill } from '../parts/pill.tsx';
import type { Bot } from '../session.ts';
import { Actions } from './actions.tsx';
import { AnswerSection, useAnswer } from './answer-section.tsx';
import { forBot } from './for-bot.ts';
import { eventName } from './lines.ts';
import { Question as QuestionChips } from './question/question.tsx';
import { type Question, questionOf } from './question-of.ts';
import { isChanged, type SavedReport, savedText } from './saved-report.ts';
import { type ReportState, writeState } from './state.ts';
import { useUsers } from './users-dialog.tsx';
import { words } from './words.ts';

interface ReportPageProps {
  readonly bot: Bot;
  readonly question: Question;
  /** Absent: the report is new. */
  readonly saved: SavedReport | undefined;
  /** Takes a report that was saved here. */
  readonly onSaved: (report: SavedReport) => void;
}

/** The address of a question: of a saved report as it is saved, only that report's. */
function linkOf(bot: Bot, state: ReportState, saved: SavedReport | undefined): string {
  const { uuid: _, ...rest } = state;
  const text = writeState(rest);
  const isPlain = saved === undefined ? text === '{}' : text === savedText(rest) && !isChanged(rest, saved);
  return href(`/reports/${saved?.uuid ?? 'new'}`, { bot: bot.resource_key, report: isPlain ? undefined : text });
}

/** One report: its question, its answer, and what can be done with it. */
export function ReportPage(props: ReportPageProps) {
  const { bot, question, saved, onSaved } = props;
  const { state, leftOut, beyond } = question;
  const isBeyond = beyond.length > 0;
  // The form loads the names of events, where there is one.
  useLoad(() => (isBeyond ? (signal) => loadEvents(bot.resource_key, signal) : null));
  const answer = useAnswer(bot, question, saved);
  const users = useUsers(bot);
  const change = (next: ReportState, replace = false): void => go(linkOf(bot, next, saved), { replace });
  useOpenQuestion(isBeyond ? null : writeState(state));
  const canSave = !isBeyond && (saved === undefined || isChanged(state, saved));
  const title = saved?.name ?? words.newReport;
  return (
    <>
      <Head
        title={title}
        crumb={{ href: href('/reports', { bot: bot.resource_key }), text: words.title }}
        status={<Status saved={saved} canSave={canSave} />}
      >
        <Actions
          bot={bot}
          state={state}
          now={() => questionOf(address.peek(), saved)?.state ?? state}
          saved={saved}
          canSave={canSave}
          run={answer.loaded.data}
          title={title}
          onSaved={(report, asked) => {
            onSaved(report);
            follow(bot, report, asked, saved);
          }}
        />
      </Head>
      {leftOut?.length !== 0 && (
        <Note kind="bad" what={leftOut === null ? words.unreadable : words.leftOut(leftOut.join(', '))} />
      )}
      {isBeyond ? (
        <Note kind="warn" what={words.beyondForm(beyond.map(words.settingName).join(', '))}>
          <p>{words.asSaved}</p>
        </Note>
      ) : (
        <Form bot={bot} state={state} change={change} />
      )}
      <AnswerSection
        answer={answer}
        question={state}
        onForm={isBeyond ? undefined : change}
        openUsers={(report, cell, name) => users.open(report, cell, name)}
      />
      {users.dialog}
    </>
  );
}

/** After a save the address is the saved report's. What was changed since the press stays, unsaved. */
function follow(bot: Bot, report: SavedReport, asked: ReportState, before: SavedReport | undefined): void {
  const now = questionOf(address.peek(), before);
  const isHere = address.peek().path === (before === undefined ? '/reports/new' : `/reports/${before.uuid}`);
  const isLegacy = address.peek().path === '/reports' && address.peek().query.has('report');
  if (now === undefined || (!isHere && !isLegacy)) return;
  const isSame = writeState(now.state) === writeState(asked);
  go(linkOf(bot, isSame ? asked : now.state, report), { replace: true });
}

/** Tells the switch of bots what is asked. */
function useOpenQuestion(text: string | null): void {
  useEffect(() => {
    openQuestion.value = text;
    return () => {
      openQuestion.value = null;
    };
  }, [text]);
}

interface StatusProps {
  readonly saved: SavedReport | undefined;
  readonly canSave: boolean;
}

function Status({ saved, canSave }: StatusProps) {
  if (saved === undefined) return null;
  return canSave ? (
    <Pill kind="warn" icon="edit">
      {words.changed}
    </Pill>
  ) : (
    <Pill icon="check">{words.savedOn(dayName(saved.date_create))}</Pill>
  );
}

interface FormProps {
  readonly bot: Bot;
  readonly state: ReportState;
  readonly change: (state: ReportState, replace?: boolean) => void;
}

/** The question as a sentence, once the names of the bot are there. */
function Form({ bot, state, change }: FormProps) {
  const key = bot.resource_key;
  const { loaded, reload } = useLoad(() => (signal) => loadCatalog(key, signal));
  const { data: catalog, error } = loaded.value;
  /** The question before a type that has no place for all its events. */
  const dropped = useSignal<ReportState | null>(null);
  useForBot(state, catalog, change);
  if (error !== undefined) return <Failure error={error} retry={reload} />;
  if (catalog === undefined) return <div class="question" aria-busy />;
  return (
    <>
      {catalog.events.length === 0 && <FirstEvent bot={key} />}
      {dropped.value !== null && state.type === 'retention' && (
        <Dropped
          before={dropped.value}
          onBack={(before) => {
            dropped.value = null;
            change(before);
          }}
        />
      )}
      <QuestionChips
        bot={key}
        catalog={catalog}
        state={state}
        onChange={change}
        onDrop={(before) => {
          dropped.value = before;
        }}
      />
    </>
  );
}

/** A link from another bot names its events by other ids: takes those of this bot with the same names. */
function useForBot(state: ReportState, catalog: Catalog | undefined, change: FormProps['change']): void {
  const adapted = catalog === undefined ? null : forBot(state, catalog);
  const text = adapted === null ? null : writeState(adapted);
  useEffect(() => {
    if (adapted !== null) change(adapted, true);
  }, [text]);
}

interface DroppedProps {
  readonly before: ReportState;
  readonly onBack: (before: ReportState) => void;
}

/** Says which events retention has no place for, and offers the way back. */
function Dropped({ before, onBack }: DroppedProps) {
  const names = before.metrics.slice(2).map(({ name, event }) => eventName(name, event));
  return (
    <Note
      kind="warn"
      what={words.droppedSteps(names.join(', '))}
      actions={
        <button type="button" class="btn small" onClick={() => onBack(before)}>
          {words.backTo(words.types[before.type])}
        </button>
      }
    />
  );
}

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { timeOfDay } from '../format.ts';
import { Failure } from '../parts/failure.tsx';
import { type Loaded, useLoad } from '../parts/load.ts';
import { inTime, Waiting } from '../parts/waiting.tsx';
import type { Bot } from '../session.ts';
import { AnswerCards } from './answer-cards.tsx';
import type { OpenCell } from './cell.ts';
import type { NamedReport } from './named-report.ts';
import type { Question } from './question-of.ts';
import { type RunReport, runReport, runSaved } from './run.ts';
import type { SavedReport } from './saved-report.ts';
import { type ReportState, writeState } from './state.ts';
import { words } from './words.ts';

/** The answer to the question of a page. */
export interface AskedAnswer {
  readonly loaded: Loaded<RunReport>;
  readonly reload: () => void;
  /** The answer is to another question than the page's, or comes again. */
  readonly isBusy: boolean;
}

/** Asks the question of a page, again after each change. @param saved of a question beyond the form */
export function useAnswer(bot: Bot, question: Question, saved: SavedReport | undefined): AskedAnswer {
  const isBeyond = question.beyond.length > 0;
  const text = isBeyond ? `saved ${saved?.uuid}` : writeState(question.state);
  const asked = useSignal(text);
  const current = useRef(question.state);
  current.current = question.state;
  useEffect(() => {
    asked.value = text;
  }, [text]);
  const { loaded, reload } = useLoad<RunReport>(
    () => {
      // The text changes with the question; the state does at each rendering.
      const isSaved = asked.value.startsWith('saved ');
      const state = current.current;
      return (signal) =>
        inTime(signal, (soon) => (isSaved ? runSaved(state, saved!, bot, soon) : runReport(state, bot, soon)));
    },
    // An answer is shown with its own state, and names its period.
    { keep: true },
  );
  return { loaded: loaded.value, reload, isBusy: loaded.value.loading || asked.value !== text };
}

interface AnswerSectionProps {
  readonly answer: AskedAnswer;
  readonly question: ReportState;
  /** Absent: the report stays as it was saved. */
  readonly onForm: ((state: ReportState) => void) | undefined;
  readonly openUsers: (report: NamedReport, ...cell: Parameters<OpenCell>) => void;
}

/** The answer; while another one comes, the old one is dimmed and dated. */
export function AnswerSection({ answer: { loaded, reload, isBusy }, question, onForm, openUsers }: AnswerSectionProps) {
  const { data, error } = loaded;
  const isShown = data !== undefined && (isBusy || error === undefined);
  return (
    <section class="answer stack" aria-busy={isBusy} aria-live="polite">
      {error !== undefined && !isBusy && <Failure error={error} retry={reload} />}
      {isBusy && (
        <Waiting
          isEmpty={!isShown}
          slow={words.slow}
          old={isShown ? words.oldNumbers(timeOfDay(data.answer.meta.data_as_of)) : undefined}
        />
      )}
      {isShown && (
        <AnswerCards
          state={data.state}
          question={question}
          answer={data.answer}
          previous={data.previous}
          onForm={onForm}
          onCell={(cell, title) => openUsers(data.asked, cell, title)}
        />
      )}
    </section>
  );
}

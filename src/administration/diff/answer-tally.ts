import { isDeepStrictEqual } from 'node:util';

/** Names a question: a bot, and a report, a user or a broadcast. */
export type Question = Readonly<Record<string, string | number>>;

/** A question that the two versions answer differently. */
interface ChangedAnswer {
  readonly question: Question;
  /** The parts of the answers that differ. */
  readonly before: unknown;
  readonly after: unknown;
}

/** A question that takes longer on the second version: the best time of each. */
interface SlowerAnswer {
  readonly question: Question;
  readonly ms_before: number;
  readonly ms_after: number;
}

/** How the answers of one kind differ between two versions (decisions.md#diff-answers). */
export interface AnswersDiff {
  readonly kind: 'saved_reports' | 'asked_reports' | 'balances' | 'broadcasts';
  readonly compared: number;
  readonly differing: number;
  /** The first that differ. */
  readonly samples: readonly ChangedAnswer[];
  /** The worst; an observation that does not count as a difference. */
  readonly slower: readonly SlowerAnswer[];
}

/** The answers of both versions. */
interface BothAnswers<T> {
  readonly before: T;
  readonly after: T;
}

export interface AnswerTally {
  /** Asks both versions, and notes how long they take. */
  ask<T>(question: Question, before: () => Promise<T>, after: () => Promise<T>): Promise<BothAnswers<T>>;
  /** Counts a question, and notes the parts of its answers that differ. */
  count(question: Question, answers: BothAnswers<unknown>): void;
  readonly result: AnswersDiff;
}

/** At most so many questions that differ, and slower ones, are listed. */
const SAMPLES = 20;
/** How often each version is asked a question whose time matters. */
const TIMES = 3;
/** A version is slower if its best time is this many times the other's, and these milliseconds more. */
const SLOWER = { times: 1.5, ms: 50 };

/** @param elapsed milliseconds from any start */
export function answerTally(kind: AnswersDiff['kind'], elapsed: () => number): AnswerTally {
  let compared = 0;
  let differing = 0;
  const samples: ChangedAnswer[] = [];
  const slower: SlowerAnswer[] = [];

  async function timed<T>(work: () => Promise<T>): Promise<{ readonly answer: T; readonly ms: number }> {
    const begun = elapsed();
    const answer = await work();
    return { answer, ms: elapsed() - begun };
  }

  return {
    async ask(question, before, after) {
      const [first, second] = [await timed(before), await timed(after)];
      const best = { before: first.ms, after: second.ms };
      // With a best time up to 50 ms the second version cannot be slower, whatever the first one takes.
      for (let time = 1; time < TIMES && best.after > SLOWER.ms; time++) {
        best.before = Math.min(best.before, (await timed(before)).ms);
        best.after = Math.min(best.after, (await timed(after)).ms);
      }
      if (best.after > best.before * SLOWER.times && best.after > best.before + SLOWER.ms)
        slower.push({ question, ms_before: Math.round(best.before), ms_after: Math.round(best.after) });
      return { before: first.answer, after: second.answer };
    },
    count(question, answers) {
      compared++;
      const { before, after } = answers;
      if (isDeepStrictEqual(before, after)) return;
      differing++;
      if (samples.length < SAMPLES)
        samples.push({ question, before: partOf(before, after), after: partOf(after, before) });
    },
    get result() {
      const excess = ({ ms_before, ms_after }: SlowerAnswer): number => ms_after - ms_before;
      const worst = [...slower].sort((a, b) => excess(b) - excess(a)).slice(0, SAMPLES);
      return { kind, compared, differing, samples, slower: worst };
    },
  };
}

/** So many elements of a list are shown. */
const SHOWN = 5;

/** The part of an answer that another answer does not have: its fields that differ, and the first elements of a list. */
function partOf(own: unknown, other: unknown): unknown {
  if (Array.isArray(own)) {
    const others: readonly unknown[] = Array.isArray(other) ? other : [];
    return own.filter((element, index) => !isDeepStrictEqual(element, others[index])).slice(0, SHOWN);
  }
  if (!isObject(own) || !isObject(other)) return own;
  const differing = Object.entries(own).filter(([key, value]) => !isDeepStrictEqual(value, other[key]));
  return Object.fromEntries(differing.map(([key, value]) => [key, partOf(value, other[key])]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

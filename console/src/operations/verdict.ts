import type { Inspected, VersionDiff } from './answers.ts';
import type { inspectionWords } from './inspection-words.ts';

export type Verdict = keyof typeof inspectionWords.verdicts;

/** Whether rows of the table differ. */
export function differs({ only_from, only_to, changed }: VersionDiff['tables'][number]): boolean {
  return [only_from, only_to, changed].some((rows) => rows > 0);
}

/** A claim that clients see no difference is made only if every answer and every row was compared. */
export function verdictOf({ result, answers }: Pick<Inspected<VersionDiff>, 'result' | 'answers'>): Verdict {
  if (result.answers.some(({ differing }) => differing > 0)) return 'answers';
  if (result.tables.some(differs)) return 'rows';
  if (!result.equal) return 'columns';
  if (answers !== true || result.answers_left_out.length > 0) return 'unsure';
  return result.answers.some(({ slower }) => slower.length > 0) ? 'slower' : 'same';
}

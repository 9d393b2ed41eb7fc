import { stringify } from 'lossless-json';
import type { AnswersDiff, Question } from '../../administration/diff/answer-tally.ts';
import type { DiffSample, VersionDiff } from '../../administration/diff/version-diff.ts';
import { counted } from '../../util/counted.ts';
import { type Answer, CliError } from '../command.ts';

/** The answer of `projection diff`. It fails if the versions differ. */
export function diffAnswer(diff: VersionDiff): Answer {
  const { name, from, to, equal, layout, tables, uncompared } = diff;
  const differing = tables.filter((table) => table.only_from + table.only_to + table.changed > 0);
  const notes = [
    ...layout,
    ...uncompared.map(({ table, reason }) => `${table} is not compared: it ${reason}`),
    ...differing.flatMap(({ table, samples }) => samples.map((sample) => `${table} ${inWords(sample)}`)),
    `compared ${counted(tables.length, 'table')} of ${name} versions ${from} and ${to} at ${diff.positions.join(', ')}`,
    ...diff.answers.flatMap(answersInWords),
    ...diff.answers_left_out.map((reason) => `answers are not compared: ${reason}`),
  ];
  return {
    value: diff,
    shown: differing.map(({ samples: _, columns, ...counts }) => ({
      ...counts,
      columns: columns.map(({ column, rows }) => `${column} (${rows})`),
    })),
    notes,
    ...(!equal && { failure: new CliError(`${name} versions ${from} and ${to} differ`) }),
  };
}

function answersInWords({ kind, compared, differing, samples, slower }: AnswersDiff): string[] {
  const what = kind.replace('_', ' ');
  return [
    ...samples.map(({ question, before, after }) => `${what} ${named(question)}: ${json(before)} -> ${json(after)}`),
    ...slower.map((each) => `${what} ${named(each.question)}: slower, ${each.ms_before} ms -> ${each.ms_after} ms`),
    `compared ${counted(compared, what.slice(0, -1), what)}: ${counted(differing, 'differs', 'differ')}`,
  ];
}

/** Whole, as configurations of reports may differ only near their end. */
const named = (question: Question): string =>
  Object.entries(question)
    .map(([key, value]) => `${key} ${value}`)
    .join(', ');

const json = (answer: unknown): string => short(stringify(answer), 4 * SHOWN);

function inWords({ kind, key, before, after, position }: DiffSample): string {
  const row = Object.entries(key).map(([column, value]) => `${column} ${value}`);
  const values = Object.keys({ ...before, ...after }).map(
    (column) => `${column} ${short(before?.[column])} -> ${short(after?.[column])}`,
  );
  const what = { only_from: 'goes', only_to: 'is new', changed: values.join(', ') }[kind];
  return `${row.join(', ')}: ${what}${position === null ? '' : ` (commit ${position})`}`;
}

/** At most so many characters of a value are written as text. */
const SHOWN = 80;

function short(value: string | null | undefined, most = SHOWN): string {
  if (value === null || value === undefined) return 'null';
  return value.length > most ? `${value.slice(0, most)}…` : value;
}

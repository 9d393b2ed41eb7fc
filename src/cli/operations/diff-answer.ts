import type { DiffSample, VersionDiff } from '../../administration/diff/version-diff.ts';
import { type Answer, CliError } from '../command.ts';

/** The answer of `projection diff`. It fails if the versions differ. */
export function diffAnswer(diff: VersionDiff): Answer {
  const { name, from, to, equal, layout, tables, uncompared } = diff;
  const differing = tables.filter((table) => table.only_from + table.only_to + table.changed > 0);
  const notes = [
    ...layout,
    ...uncompared.map(({ table, reason }) => `${table} is not compared: it ${reason}`),
    ...differing.flatMap(({ table, samples }) => samples.map((sample) => `${table} ${inWords(sample)}`)),
    `compared ${tables.length} tables of ${name} versions ${from} and ${to} at ${diff.positions.join(', ')}`,
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

function short(value: string | null | undefined): string {
  if (value === null || value === undefined) return 'null';
  return value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value;
}

import type { Answer, Row } from './answer.ts';
import { breakdownOf } from './cell.ts';
import { changeOf } from './change-of.ts';

/** The rows with their values of the period before. */
export function comparedRows(answer: Answer, previous: Answer | undefined, keys: readonly string[]): readonly Row[] {
  if (previous === undefined) return answer.rows;
  const split = breakdownOf(answer);
  const lineOf = (row: Row): string => JSON.stringify([row['metric'], row['other'], split.map(({ key }) => row[key])]);
  const former = new Map(previous.rows.map((row) => [lineOf(row), row]));
  return answer.rows.map((row) => {
    const before = former.get(lineOf(row));
    const compared = keys.flatMap((key) => {
      const value = before?.[key] ?? null;
      return [
        [`${key}_before`, value],
        [`${key}_change`, changeOf(row[key], value)?.part ?? null],
      ];
    });
    return { ...row, ...Object.fromEntries(compared) };
  });
}

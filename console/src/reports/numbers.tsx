import type { Value } from '../api.ts';
import { cell } from '../format.ts';
import { Cut } from '../parts/cut.tsx';
import type { DataColumn } from '../parts/data-table.tsx';
import { namedField, spokenValue } from '../parts/names.ts';
import type { Answer, Column, Row } from './answer.ts';
import type { Cell, OpenCell } from './cell.ts';
import { cellWords } from './cell-words.ts';
import type { ReportState } from './state.ts';
import { words } from './words.ts';

/** Parts that the views of all report types share. */

export interface ViewProps {
  readonly state: ReportState;
  readonly answer: Answer;
  /** Of the period before; absent: no comparison. */
  readonly previous?: Answer | undefined;
  readonly onCell: OpenCell;
  /** Whether the table under a chart begins closed. */
  readonly closed?: boolean | undefined;
}

export type PartProps = Pick<ViewProps, 'answer' | 'onCell'>;

export interface NumberButtonProps {
  readonly value: Value | undefined;
  /** The text of the number; default: the value. */
  readonly shown?: string;
  readonly cell: Cell;
  /** Says which number it is. */
  readonly title: string;
  readonly onCell: OpenCell;
}

/** A number that opens the users behind it. Where there is no number, there are no users. */
export function NumberButton({ value, shown = cell(value, 'number'), cell: named, title, onCell }: NumberButtonProps) {
  if (value === null || value === undefined) return <>{shown}</>;
  return (
    <button
      type="button"
      class="cell"
      aria-label={cellWords.show(shown, title)}
      title={cellWords.title}
      onClick={() => onCell(named, title)}
    >
      {shown}
    </button>
  );
}

/** How a value is shown: an average with two decimals, everything else with all its digits. */
export function figureOf(
  { metrics }: ReportState,
  { metric }: Pick<Column, 'metric'>,
  value: Value | undefined,
): string {
  const { agr } = metrics[metric ?? -1] ?? {};
  const isAverage = /^(property_)?(avg|median)/.test(agr ?? '');
  return cell(isAverage && typeof value === 'number' ? Number(value.toFixed(2)) : value, 'number');
}

export function Bar({ part, index = 0 }: { readonly part: number; readonly index?: number }) {
  return <i class={`bar k${(index % 10) + 1}`} style={{ width: `${Math.max(0, Math.min(1, part)) * 100}%` }} />;
}

/** A column of a breakdown. The row of all other values says so. */
export function valueColumn({ key, type }: Column): DataColumn {
  return {
    key,
    label: namedField(key).label,
    type: type === 'number' ? 'text' : type,
    show: (value, row) => <Cut text={valueText(key, value, row, type)} />,
  };
}

export function valueText(key: string, value: Value | undefined, row: Row, type: string): string {
  if (row['other'] === true) return words.other;
  if (value === null) return words.nothing;
  // An id is no number to count with.
  return type === 'string' || type === 'number' ? spokenValue(key, String(value)) : cell(value, type);
}

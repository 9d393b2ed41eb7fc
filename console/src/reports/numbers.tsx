import type { Value } from '../api.ts';
import { cell } from '../format.ts';
import type { DataColumn } from '../parts/data-table.tsx';
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

export function Bar({ part, index = 0 }: { readonly part: number; readonly index?: number }) {
  return <i class={`bar k${(index % 10) + 1}`} style={{ width: `${Math.max(0, Math.min(1, part)) * 100}%` }} />;
}

/** A column of a breakdown. The row of all other values says so. */
export function valueColumn({ key, label, type }: Column): DataColumn {
  return { key, label, type, show: (value, row) => valueText(value, row, type) };
}

export function valueText(value: Value | undefined, row: Row, type: string): string {
  if (row['other'] === true) return words.other;
  return value === null ? words.nothing : cell(value, type);
}

/** The value of the period before, where periods are compared. */
export function Before({ value }: { readonly value: Value | undefined }) {
  return (
    <span class="quiet-text before">
      {' '}
      {words.previous}: {cell(value, 'number')}
    </span>
  );
}

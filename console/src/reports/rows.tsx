import type { ComponentChildren } from 'preact';
import type { Value } from '../api.ts';
import type { DataColumn } from '../parts/data-table.tsx';
import { SortedTable } from '../parts/sorted-table.tsx';
import type { Column, Row } from './answer.ts';
import { breakdownOf, tableCell } from './cell.ts';
import { Change } from './change.tsx';
import { comparedRows } from './compared-rows.ts';
import { metricName } from './lines.ts';
import { figureOf, NumberButton, type ViewProps, valueColumn, valueText } from './numbers.tsx';
import type { ReportState } from './state.ts';
import { words } from './words.ts';

/** Keys of values: of a table, and of campaigns. */
const isValue = ({ key }: Column): boolean => key === 'value' || /^m\d+$/.test(key);

type RowsProps = Pick<ViewProps, 'state' | 'answer' | 'previous' | 'onCell'>;

/** A table of totals, or the table of campaigns. Each number says what it counts. */
export function Rows({ state, answer, previous, onCell }: RowsProps) {
  const split = breakdownOf(answer);
  const valueKeys = answer.columns.filter(isValue).map(({ key }) => key);
  const rows = comparedRows(answer, previous, valueKeys);
  const nameOf = (row: Row, key: string): string => countedIn(state, row, key);
  const columns = answer.columns
    .filter(({ key }) => !['metric', 'other'].includes(key))
    .flatMap((column): DataColumn[] => {
      const { key } = column;
      if (key === 'label')
        return [{ key, label: words.counted, type: 'string', head: true, show: (_, row) => nameOf(row, 'value') }];
      if (!isValue(column)) return [split.includes(column) ? valueColumn(column) : column];
      return valueColumns(column, previous !== undefined, {
        label: key === 'value' ? words.total : countedIn(state, {}, key, column.label),
        shown: (value, row) => figureOf(state, { metric: metricOf(row, key) }, value),
        show: (row, shown) => {
          const values = split.map((part) => valueText(part.key, row[part.key], row, part.type));
          return (
            <NumberButton
              value={row[key]}
              shown={shown}
              cell={tableCell(answer, row, key)}
              title={[countedIn(state, row, key, column.label), ...new Set(values)].join(', ')}
              onCell={onCell}
            />
          );
        },
      });
    });
  return (
    <SortedTable
      name="rows"
      caption={words.table}
      columns={columns}
      rows={rows}
      textOf={(row) => Object.values(row).join(' ')}
    />
  );
}

const metricOf = (row: Row, key: string): number => (key === 'value' ? Number(row['metric']) : Number(key.slice(1)));

/** The quantity of a value: of a table its row says it, of campaigns its column. */
function countedIn(state: ReportState, row: Row, key: string, label = String(row['label'])): string {
  const metric = state.metrics[metricOf(row, key)];
  return metricName(metric, key === 'value' ? String(row['label']) : label);
}

interface ValueText {
  readonly label: string;
  readonly shown: (value: Value | undefined, row: Row) => string;
  /** The value of a row, written as `shown`. */
  readonly show: (row: Row, shown: string) => ComponentChildren;
}

/** The column of a value; compared, with the value before and the change. */
function valueColumns({ key }: Column, compared: boolean, { label, show, shown }: ValueText): DataColumn[] {
  const own: DataColumn = { key, label, type: 'number', show: (value, row) => show(row, shown(value, row)) };
  if (!compared) return [own];
  return [
    own,
    {
      key: `${key}_before`,
      label: words.beforeOf(''),
      type: 'number',
      wide: true,
      show: (value, row) => <span class="quiet-text">{shown(value, row)}</span>,
    },
    {
      key: `${key}_change`,
      label: words.changeOf(''),
      type: 'number',
      wide: true,
      show: (_, row) => <Change now={row[key]} before={row[`${key}_before`]} />,
    },
  ];
}

import type { Value } from '../api.ts';
import { cell, share } from '../format.ts';
import { type DataColumn, DataTable } from '../parts/data-table.tsx';
import { LegendChart, type Series } from '../parts/time-chart.tsx';
import type { Row } from './answer.ts';
import { breakdownOf, retentionCell } from './cell.ts';
import { cellWords } from './cell-words.ts';
import {
  NumberButton,
  type NumberButtonProps,
  type PartProps,
  type ViewProps,
  valueColumn,
  valueText,
} from './numbers.tsx';
import { averageOf, isOver } from './retention-cells.ts';
import { words } from './words.ts';

/** The cohorts as a heat map, and as lines: one a cohort, beside the average. */
export function RetentionView({ state, answer, onCell }: PartProps & Pick<ViewProps, 'state'>) {
  const intervals = answer.columns.flatMap(({ key }) => (key.startsWith('share_') ? [Number(key.slice(6))] : []));
  const extra = breakdownOf(answer);
  const nameOfInterval = (n: number): string => `${words.granularities[state.granularity]} ${n}`;
  const titleOf = (row: Row, n: number): string => cellWords.returned(cell(row['cohort'], 'date'), nameOfInterval(n));
  const { data_as_of } = answer.meta;
  const over = (row: Row, n: number): boolean => isOver(String(row['cohort']), n, state.granularity, data_as_of);
  const columns: DataColumn[] = [
    ...extra.map(valueColumn),
    { key: 'cohort', label: words.cohort, type: 'date' },
    {
      key: 'size',
      label: words.size,
      type: 'number',
      show: (value, row) => {
        const title = cellWords.members(cell(row['cohort'], 'date'));
        return <NumberButton value={value} cell={retentionCell(answer, row)} title={title} onCell={onCell} />;
      },
    },
    ...intervals.map(
      (n): DataColumn => ({
        key: `share_${n}`,
        label: nameOfInterval(n),
        type: 'number',
        show: (value, row) => (
          <HeatCell
            part={value}
            users={row[`users_${n}`]}
            isOver={over(row, n)}
            cell={retentionCell(answer, row, n)}
            title={titleOf(row, n)}
            onCell={onCell}
          />
        ),
      }),
    ),
  ];
  const lineOf = (label: string, of: (n: number) => Value | undefined, hidden = false): Series => {
    return { label, values: intervals.map(of), hidden };
  };
  const shown = answer.rows.length - LINES;
  const lines = answer.rows.map((row, index) => {
    const values = extra.map(({ key, type }) => valueText(row[key], row, type));
    const name = [...values, cell(row['cohort'], 'date')].join(', ');
    return lineOf(name, (n) => (over(row, n) ? row[`share_${n}`] : null), index < shown);
  });
  return (
    <>
      {state.retention.view === 'lines' && (
        <LegendChart
          times={intervals.map(nameOfInterval)}
          series={[lineOf(words.average, (n) => averageOf(answer.rows, n, state.granularity, data_as_of)), ...lines]}
          shape="line"
          label={words.types.retention}
          steps
          shares
          onPoint={(line, n) => {
            const row = answer.rows[line - 1];
            if (row !== undefined) onCell(retentionCell(answer, row, intervals[n]), titleOf(row, intervals[n]!));
          }}
        />
      )}
      <DataTable caption={words.types.retention} columns={columns} rows={answer.rows} />
    </>
  );
}

/** Cohorts whose lines are shown at first; the legend shows the others. */
const LINES = 9;

/** A cell of the heat map; one whose interval is not over yet is empty. */
function HeatCell({ part, users, isOver: over, ...rest }: HeatCellProps) {
  if (part === null || part === undefined) return <span class="hidden">{words.unfinished}</span>;
  return (
    <span class={over ? `heat heat-${Math.round(Number(part) * 10)}` : 'heat open'}>
      <NumberButton value={users} shown={share(Number(part))} {...rest} />
      {!over && <span class="hidden">{words.unfinished}</span>}
    </span>
  );
}

interface HeatCellProps extends Pick<NumberButtonProps, 'cell' | 'title' | 'onCell'> {
  readonly part: Value | undefined;
  readonly users: Value | undefined;
  /** Whether its interval has been counted to its end. */
  readonly isOver: boolean;
}

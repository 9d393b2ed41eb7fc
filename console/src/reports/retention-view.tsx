import { useMemo } from 'preact/hooks';
import type { Value } from '../api.ts';
import { cell, share } from '../format.ts';
import { type DataColumn, DataTable } from '../parts/data-table.tsx';
import { type Series, TimeChart } from '../parts/time-chart.tsx';
import { texts } from '../texts.ts';
import { breakdownOf, retentionCell } from './cell.ts';
import {
  drawn,
  NumberButton,
  type NumberButtonProps,
  type PartProps,
  type ViewProps,
  valueColumn,
} from './numbers.tsx';

const words = texts.reports;

/** The cohorts as a heat map, and as lines. */
export function RetentionView({ state, answer, onCell }: PartProps & Pick<ViewProps, 'state'>) {
  const intervals = answer.columns.flatMap(({ key }) => (key.startsWith('share_') ? [Number(key.slice(6))] : []));
  const extra = breakdownOf(answer);
  const nameOfInterval = (n: number): string => `${words.granularities[state.granularity]} ${n}`;
  const columns: DataColumn[] = [
    ...extra.map(valueColumn),
    { key: 'cohort', label: words.cohort, type: 'date' },
    {
      key: 'size',
      label: words.size,
      type: 'number',
      show: (value, row) => {
        const title = texts.cells.members(cell(row['cohort'], 'date'));
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
            cell={retentionCell(answer, row, n)}
            title={texts.cells.returned(cell(row['cohort'], 'date'), nameOfInterval(n))}
            onCell={onCell}
          />
        ),
      }),
    ),
  ];
  const lines = useMemo(
    (): Series[] =>
      intervals.map((n) => ({
        label: nameOfInterval(n),
        values: answer.rows.map((row) => {
          const part = drawn(row[`share_${n}`]);
          return part === null ? null : part * 100;
        }),
      })),
    [answer],
  );
  const times = useMemo(() => answer.rows.map((row) => String(row['cohort'])), [answer]);
  return (
    <>
      {state.retention.view === 'lines' && extra.length === 0 && (
        <TimeChart times={times} series={lines} shape="line" label={words.types.retention} />
      )}
      <DataTable caption={words.types.retention} columns={columns} rows={answer.rows} />
    </>
  );
}

/** A cell of the heat map; one whose interval is not over yet is empty. */
function HeatCell({ part, users, ...rest }: HeatCellProps) {
  if (part === null || part === undefined) return <span class="hidden">{words.unfinished}</span>;
  return (
    <span class={`heat heat-${Math.round(Number(part) * 10)}`}>
      <NumberButton value={users} shown={share(Number(part))} {...rest} />
    </span>
  );
}

interface HeatCellProps extends Pick<NumberButtonProps, 'cell' | 'title' | 'onCell'> {
  readonly part: Value | undefined;
  readonly users: Value | undefined;
}

import { duration, share } from '../format.ts';
import { type DataColumn, DataTable } from '../parts/data-table.tsx';
import type { Row } from './answer.ts';
import { breakdownOf, funnelCell } from './cell.ts';
import { cellWords } from './cell-words.ts';
import { Bar, NumberButton, type PartProps, valueColumn } from './numbers.tsx';
import { words } from './words.ts';

/** The steps of a funnel: who reached each, who dropped off before it, and who still has time. */
export function FunnelView({ answer, onCell }: PartProps) {
  const of = (row: Row, key: string): number => Number(row[key] ?? 0);
  const nameOf = (row: Row): string => `${row['step']}. ${row['label']}`;
  const counted = (key: string, label: string, kind: Parameters<typeof funnelCell>[2]): DataColumn => ({
    key,
    label,
    type: 'number',
    show: (value, row) => {
      const before = answer.rows.find(({ step }) => step === of(row, 'step') - 1);
      const between = cellWords.between(String(before?.['label']), String(row['label']));
      const title = {
        reached: cellWords.step(nameOf(row)),
        dropped: between,
        in_progress: cellWords.onTheWay(between),
      }[kind];
      return <NumberButton value={value} cell={funnelCell(answer, row, kind)} title={title} onCell={onCell} />;
    },
  });
  const part = (key: string, label: string): DataColumn => {
    return { key, label, type: 'number', show: (_, row) => share(of(row, key)) };
  };
  return (
    <DataTable
      bars
      caption={words.types.funnels}
      columns={[
        ...breakdownOf(answer).map(valueColumn),
        {
          key: 'step',
          label: words.step,
          type: 'string',
          head: true,
          show: (_, row) => (
            <>
              <Bar part={of(row, 'share_of_first')} /> {nameOf(row)}
            </>
          ),
        },
        counted('users', words.users, 'reached'),
        part('share_of_first', words.ofFirst),
        part('share_of_previous', words.ofPrevious),
        counted('dropped', words.dropped, 'dropped'),
        counted('in_progress', words.inProgress, 'in_progress'),
        {
          key: 'median_seconds',
          label: words.median,
          type: 'number',
          show: (value) => (value === null ? '–' : duration(Number(value))),
        },
      ]}
      rows={answer.rows}
    />
  );
}

import type { Value } from '../api.ts';
import { cell, perCent } from '../format.ts';
import { Cut } from '../parts/cut.tsx';
import { type DataColumn, DataTable } from '../parts/data-table.tsx';
import type { Answer } from './answer.ts';
import { type Cell, lineCell } from './cell.ts';
import { Change, ChangeFrom } from './change.tsx';
import { haveWhole } from './forms.ts';
import { fullName, isSame, lineName } from './lines.ts';
import { Bar, figureOf, NumberButton, type ViewProps } from './numbers.tsx';
import type { ReportState } from './state.ts';
import { words } from './words.ts';

interface Total {
  readonly cell: Cell;
  readonly label: string;
  /** With what is counted. */
  readonly full: string;
  readonly value: Value;
  readonly shown: string;
  /** Of the period before; undefined: nothing is compared. */
  readonly before: Value | undefined;
}

/** Returns the total of each line over the whole period, as the service counted it. */
function totalsOf(state: ReportState, answer: Answer, previous: Answer | undefined): Total[] {
  return answer.columns.slice(1).map((column) => {
    const former = previous?.columns.slice(1).find((line) => isSame(line, column));
    return {
      cell: lineCell(column),
      label: lineName(state, column),
      full: fullName(state, column),
      value: column.total ?? null,
      shown: figureOf(state, column, column.total),
      before: previous === undefined ? undefined : (former?.total ?? null),
    };
  });
}

type TotalsProps = Pick<ViewProps, 'state' | 'answer' | 'previous' | 'onCell'>;

/** The totals alone, large. */
export function Numbers({ state, answer, previous, onCell }: TotalsProps) {
  return (
    <ul class="numbers">
      {totalsOf(state, answer, previous).map(({ full, value, shown, before, cell: named }) => (
        <li key={full}>
          <Cut text={full} />
          <strong>
            <NumberButton value={value} shown={shown} cell={named} title={full} onCell={onCell} />
          </strong>
          {before !== undefined && <ChangeFrom now={value} before={before} />}
        </li>
      ))}
    </ul>
  );
}

/** Shares of a whole as a bar list: angles of a pie are read worse than lengths. Without a whole, bars show the sizes alone. */
export function Shares({ state, answer, previous, onCell }: TotalsProps) {
  const totals = totalsOf(state, answer, previous);
  const sizes = totals.map(({ value }) => Number(value ?? 0));
  const hasWhole = haveWhole(state.metrics) && sizes.every((size) => size >= 0);
  const all = hasWhole ? sizes.reduce((sum, size) => sum + size, 0) : Math.max(...sizes);
  const columns: (DataColumn | false)[] = [
    {
      key: 'label',
      label: words.event,
      type: 'string',
      head: true,
      show: (label, { part }, index) => (
        <>
          <Cut text={String(label)} />
          <Bar part={Number(part)} index={index} />
        </>
      ),
    },
    {
      key: 'value',
      label: words.total,
      type: 'number',
      show: (value, _, index) => {
        const { cell: named, full, shown } = totals[index]!;
        return <NumberButton value={value} shown={shown} cell={named} title={full} onCell={onCell} />;
      },
    },
    hasWhole && {
      key: 'part',
      label: words.share,
      type: 'number',
      show: (part: Value | undefined) => perCent(Number(part)),
    },
    previous !== undefined && {
      key: 'before',
      label: words.beforeOf(''),
      type: 'number',
      show: (value: Value | undefined) => <span class="quiet-text">{cell(value, 'number')}</span>,
    },
    previous !== undefined && {
      key: 'change',
      label: words.changeOf(''),
      type: 'number',
      show: (_: Value | undefined, row) => <Change now={row['value']} before={row['before']} />,
    },
  ];
  return (
    <>
      {!hasWhole && <p class="quiet-text">{words.noShares}</p>}
      <DataTable
        bars
        caption={words.charts.pie}
        columns={columns.filter((column) => column !== false)}
        rows={totals.map(({ label, value, before = null }, index) => ({
          label,
          value,
          before,
          part: all > 0 ? sizes[index]! / all : 0,
        }))}
      />
    </>
  );
}

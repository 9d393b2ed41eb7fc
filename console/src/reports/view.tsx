import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Value } from '../api.ts';
import { cell, date, duration, share } from '../format.ts';
import { type DataColumn, DataTable } from '../parts/data-table.tsx';
import { type Series, TimeChart } from '../parts/time-chart.tsx';
import { texts } from '../texts.ts';
import type { Answer, Column, Row } from './answer.ts';
import { breakdownOf, type Cell, lineCell, type OpenCell, tableCell } from './cell.ts';
import { FunnelView } from './funnel-view.tsx';
import { Bar, drawn, NumberButton, type PartProps, type ViewProps, valueColumn } from './numbers.tsx';
import { RetentionView } from './retention-view.tsx';

const words = texts.reports;

/** The answer of a report as a chart, with the numbers in a table under it. Each number opens the users behind it. */
export function View({ state, answer, previous, onCell }: ViewProps) {
  if (answer.rows.length === 0) return <p>{words.empty}</p>;
  if (state.type === 'funnels') return <FunnelView answer={answer} onCell={onCell} />;
  if (state.type === 'retention') return <RetentionView state={state} answer={answer} onCell={onCell} />;
  if (state.type === 'list') return <ListView answer={answer} onCell={onCell} />;
  if (state.chart === 'number')
    return <Numbers totals={totalsOf(answer)} previous={previous && totalsOf(previous)} onCell={onCell} />;
  if (state.chart === 'pie') return <Shares totals={totalsOf(answer)} onCell={onCell} />;
  if (answer.columns[0]?.type === 'date')
    return <OverTime state={state} answer={answer} previous={previous} onCell={onCell} />;
  return <Rows answer={answer} onCell={onCell} />;
}

/** The name of a line: the metric, and the values that it is broken down by. */
function nameOf({ label, breakdown, other }: Column): string {
  if (other === true) return `${label}: ${words.other}`;
  if (breakdown === undefined) return label;
  const values = Object.values(breakdown).filter((value) => value !== null);
  return `${label}: ${values.length === 0 ? words.nothing : values.join(' / ')}`;
}

function OverTime({ state, answer, previous, onCell }: ViewProps) {
  const hidden = useSignal<ReadonlySet<string>>(new Set());
  const columns = answer.columns.slice(1);
  const series = useMemo((): Series[] => {
    const lines = columns.map((column): Series => {
      const values = answer.rows.map((row) => drawn(row[column.key]));
      return { label: nameOf(column), values, hidden: hidden.value.has(column.key) };
    });
    if (previous === undefined) return lines;
    const before = previous.columns.slice(1).flatMap((column): Series[] => {
      const of = columns.findIndex((line) => nameOf(line) === nameOf(column));
      if (of < 0) return [];
      const values = answer.rows.map((_, index) => drawn(previous.rows[index]?.[column.key]));
      return [{ label: `${nameOf(column)}, ${words.previous}`, values, of, hidden: lines[of]!.hidden === true }];
    });
    return [...lines, ...before];
  }, [answer, previous, hidden.value]);
  const times = useMemo(() => answer.rows.map((row) => String(row['date'])), [answer]);
  const shape = state.chart === 'area' ? 'area' : ['bar', 'column'].includes(state.chart) ? 'bar' : 'line';
  return (
    <>
      <ul class="legend">
        {columns.map((column, index) => {
          const isHidden = hidden.value.has(column.key);
          return (
            <li key={column.key}>
              <button
                type="button"
                class="plain"
                aria-pressed={!isHidden}
                title={words.show(nameOf(column))}
                onClick={() => {
                  hidden.value = isHidden
                    ? new Set([...hidden.value].filter((key) => key !== column.key))
                    : new Set([...hidden.value, column.key]);
                }}
              >
                <i class={`dot series-${index % 10}`} /> {nameOf(column)}
              </button>
            </li>
          );
        })}
      </ul>
      <TimeChart times={times} series={series} shape={shape} label={columns.map(nameOf).join(', ')} />
      <details open={answer.rows.length <= 31}>
        <summary>{words.table}</summary>
        <DataTable
          caption={words.table}
          columns={answer.columns.map((column, index) => ({
            ...column,
            label: index === 0 ? column.label : nameOf(column),
            ...(index === 0
              ? {}
              : {
                  show: (value: Value | undefined, row: Row) => (
                    <NumberButton
                      value={value}
                      cell={lineCell(column, row['date'])}
                      title={`${nameOf(column)}, ${cell(row['date'], 'date')}`}
                      onCell={onCell}
                    />
                  ),
                }),
          }))}
          rows={answer.rows}
        />
      </details>
    </>
  );
}

interface Total {
  readonly cell: Cell;
  readonly label: string;
  readonly value: Value;
}

/** Returns the total of each line over the whole period, as the service counted it. */
function totalsOf(answer: Answer): Total[] {
  return answer.columns.slice(1).map((column) => {
    return { cell: lineCell(column), label: nameOf(column), value: column.total ?? null };
  });
}

interface TotalsProps {
  readonly totals: readonly Total[];
  /** Of the period before; absent: no comparison. */
  readonly previous?: readonly Total[] | undefined;
  readonly onCell: OpenCell;
}

function Numbers({ totals, previous, onCell }: TotalsProps) {
  return (
    <ul class="numbers">
      {totals.map(({ label, value, cell: named }) => {
        const before = previous?.find((total) => total.label === label);
        return (
          <li key={label}>
            <span>{label}</span>
            <strong>
              <NumberButton value={value} cell={named} title={label} onCell={onCell} />
            </strong>
            {before !== undefined && (
              <span class="quiet">
                {words.previous}: {cell(before.value, 'number')}
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Shares of a whole as a bar list: angles of a pie are read worse than lengths. */
function Shares({ totals, onCell }: TotalsProps) {
  const sizes = totals.map(({ value }) => Math.abs(Number(value ?? 0)));
  const all = sizes.reduce((sum, size) => sum + size, 0);
  return (
    <table class="bars">
      <thead>
        <tr>
          <th scope="col">{words.event}</th>
          <th scope="col" class="number">
            {words.total}
          </th>
          <th scope="col" class="number">
            {words.share}
          </th>
        </tr>
      </thead>
      <tbody>
        {totals.map(({ label, value, cell: named }, index) => {
          const part = all === 0 ? 0 : sizes[index]! / all;
          return (
            <tr key={label}>
              <th scope="row">
                <Bar part={part} index={index} /> {label}
              </th>
              <td class="number">
                <NumberButton value={value} cell={named} title={label} onCell={onCell} />
              </td>
              <td class="number">{share(part)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** A table, or the table of campaigns. */
function Rows({ answer, onCell }: PartProps) {
  const broken = breakdownOf(answer);
  const columns = answer.columns
    .filter(({ key }) => !['metric', 'other'].includes(key))
    .map((column): DataColumn => {
      const { key, label } = column;
      if (key !== 'value' && !/^m\d+$/.test(key)) return broken.includes(column) ? valueColumn(column) : column;
      return {
        ...column,
        show: (value, row) => {
          const values = row['other'] === true ? [words.other] : broken.map((part) => row[part.key] ?? words.nothing);
          const title = [key === 'value' ? row['label'] : label, ...values].join(', ');
          return <NumberButton value={value} cell={tableCell(answer, row, key)} title={title} onCell={onCell} />;
        },
      };
    });
  return <DataTable caption={words.table} columns={columns} rows={answer.rows} />;
}

function ListView({ answer, onCell }: PartProps) {
  return (
    <>
      <p>
        <button type="button" onClick={() => onCell({}, words.types.list)}>
          {texts.cells.rows}
        </button>
      </p>
      <DataTable caption={words.table} columns={answer.columns} rows={answer.rows} />
    </>
  );
}

/** How far the data have been counted, and what the service warns of. */
export function Footnotes({ answer: { meta } }: { readonly answer: Answer }) {
  return (
    <footer class="quiet">
      <p>{words.asOf(date(meta.data_as_of), duration(meta.lag_ms / 1000))}</p>
      {meta.truncated && <p>{words.truncated}</p>}
      {meta.warnings.map(({ path, message }) => (
        <p class="warning" key={path + message}>
          {message}
        </p>
      ))}
    </footer>
  );
}

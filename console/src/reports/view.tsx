import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Value } from '../api.ts';
import { cell, date, duration, share } from '../format.ts';
import { type DataColumn, DataTable } from '../parts/data-table.tsx';
import { type Series, TimeChart } from '../parts/time-chart.tsx';
import { currency } from '../session.ts';
import { texts } from '../texts.ts';
import type { Answer, Column, Row } from './answer.ts';
import { breakdownOf, type Cell, lineCell, type OpenCell, tableCell } from './cell.ts';
import { FunnelView } from './funnel-view.tsx';
import { Bar, drawn, NumberButton, type PartProps, type ViewProps, valueColumn } from './numbers.tsx';
import { RetentionView } from './retention-view.tsx';
import { type Metric, needsField, type ReportState } from './state.ts';

const words = texts.reports;

/** The answer of a report as a chart, with the numbers in a table under it. Each number opens the users behind it. */
export function View({ state, answer, previous, onCell, closed }: ViewProps) {
  if (answer.rows.length === 0) return <p>{words.empty}</p>;
  if (state.type === 'funnels') return <FunnelView answer={answer} onCell={onCell} />;
  if (state.type === 'retention') return <RetentionView state={state} answer={answer} onCell={onCell} />;
  if (state.type === 'list') return <ListView answer={answer} onCell={onCell} />;
  if (state.chart === 'number')
    return (
      <Numbers totals={totalsOf(state, answer)} previous={previous && totalsOf(state, previous)} onCell={onCell} />
    );
  if (state.chart === 'pie') return <Shares totals={totalsOf(state, answer)} onCell={onCell} />;
  if (answer.columns[0]?.type === 'date')
    return <OverTime state={state} answer={answer} previous={previous} onCell={onCell} closed={closed} />;
  return <Rows answer={answer} onCell={onCell} />;
}

/** The name of a line: the metric with what it counts, and the values that it is broken down by. */
function nameOf({ metrics }: ReportState, { metric, label, breakdown, other }: Column): string {
  const name = metricName(metrics[metric ?? -1], label);
  if (other === true) return `${name}: ${words.other}`;
  if (breakdown === undefined) return name;
  const values = Object.values(breakdown).filter((value) => value !== null);
  return `${name}: ${values.length === 0 ? words.nothing : values.join(' / ')}`;
}

function metricName(metric: Metric | undefined, label: string): string {
  if (metric === undefined) return label;
  const event = metric.event === null && metric.name === 'all' ? words.allEvents : label;
  const counted = `${event}, ${words.aggregations[metric.agr]}`;
  if (!needsField(metric.agr) || metric.field === undefined) return counted;
  return `${counted} ${metric.field === 'events.value_amount' ? currency() : words.fields[metric.field]}`;
}

/** The value of a bucket; none for one that lies ahead of what has been counted. */
function valueIn(row: Row, key: string, { meta }: Answer): Value | undefined {
  const isAhead = row[key] === 0 && Date.parse(String(row['date'])) > Date.parse(meta.data_as_of);
  return isAhead ? null : row[key];
}

function OverTime({ state, answer, previous, onCell, closed }: ViewProps) {
  const hidden = useSignal<ReadonlySet<string>>(new Set());
  const columns = answer.columns.slice(1);
  const name = (column: Column): string => nameOf(state, column);
  const timed = state.granularity === 'hour';
  const series = useMemo((): Series[] => {
    const lines = columns.map((column): Series => {
      const values = answer.rows.map((row) => drawn(valueIn(row, column.key, answer)));
      return { label: name(column), values, hidden: hidden.value.has(column.key) };
    });
    if (previous === undefined) return lines;
    const before = previous.columns.slice(1).flatMap((column): Series[] => {
      const of = columns.findIndex((line) => name(line) === name(column));
      if (of < 0) return [];
      const values = answer.rows.map((_, index) => drawn(previous.rows[index]?.[column.key]));
      return [{ label: `${name(column)}, ${words.previous}`, values, of, hidden: lines[of]!.hidden === true }];
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
                title={words.show(name(column))}
                onClick={() => {
                  hidden.value = isHidden
                    ? new Set([...hidden.value].filter((key) => key !== column.key))
                    : new Set([...hidden.value, column.key]);
                }}
              >
                <i class={`dot series-${index % 10}`} /> {name(column)}
              </button>
            </li>
          );
        })}
        {previous !== undefined && <li class="quiet">{words.dashed}</li>}
      </ul>
      <TimeChart times={times} series={series} shape={shape} label={columns.map(name).join(', ')} />
      <details open={closed !== true && answer.rows.length <= 31}>
        <summary>{words.table}</summary>
        <DataTable
          caption={words.table}
          columns={answer.columns.map((column, index) => ({
            ...column,
            label: index === 0 ? column.label : name(column),
            ...(index === 0
              ? { show: (value: Value | undefined) => date(String(value), timed) }
              : {
                  show: (_: Value | undefined, row: Row) => (
                    <NumberButton
                      value={valueIn(row, column.key, answer)}
                      cell={lineCell(column, row['date'])}
                      title={`${name(column)}, ${date(String(row['date']), timed)}`}
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
function totalsOf(state: ReportState, answer: Answer): Total[] {
  return answer.columns.slice(1).map((column) => {
    return { cell: lineCell(column), label: nameOf(state, column), value: column.total ?? null };
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

import type { Value } from '../api.ts';
import { date, share } from '../format.ts';
import { AsOf } from '../parts/as-of.tsx';
import { type DataColumn, DataTable } from '../parts/data-table.tsx';
import { LegendChart, type Series } from '../parts/time-chart.tsx';
import { currency } from '../session.ts';
import type { Answer, Column, Row } from './answer.ts';
import { breakdownOf, type Cell, lineCell, type OpenCell, tableCell } from './cell.ts';
import { cellWords } from './cell-words.ts';
import { fieldName } from './field-name.ts';
import { FunnelView } from './funnel-view.tsx';
import { Bar, Before, NumberButton, type PartProps, type ViewProps, valueColumn } from './numbers.tsx';
import { RetentionView } from './retention-view.tsx';
import { type Metric, needsField, type ReportState } from './state.ts';
import { words } from './words.ts';

/** The answer of a report as a chart, with the numbers in a table under it. Each number opens the users behind it. */
export function View({ state, answer, previous, onCell, closed }: ViewProps) {
  if (answer.rows.length === 0) return <p>{words.empty}</p>;
  if (state.type === 'funnels') return <FunnelView answer={answer} onCell={onCell} />;
  if (state.type === 'retention') return <RetentionView state={state} answer={answer} onCell={onCell} />;
  if (state.type === 'list') return <ListView answer={answer} onCell={onCell} />;
  if (state.chart === 'number' || state.chart === 'pie') {
    const totals = { totals: totalsOf(state, answer), previous: previous && totalsOf(state, previous), onCell };
    return state.chart === 'pie' ? <Shares metrics={state.metrics} {...totals} /> : <Numbers {...totals} />;
  }
  if (answer.columns[0]?.type === 'date')
    return <OverTime state={state} answer={answer} previous={previous} onCell={onCell} closed={closed} />;
  return <Rows answer={answer} previous={previous} onCell={onCell} />;
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
  return `${counted} ${metric.field === 'events.value_amount' ? currency() : fieldName(metric.field)}`;
}

/** The value of a bucket; none for one that lies ahead of what has been counted. */
function valueIn(row: Row, key: string, { meta }: Answer): Value | undefined {
  const isAhead = row[key] === 0 && Date.parse(String(row['date'])) > Date.parse(meta.data_as_of);
  return isAhead ? null : row[key];
}

function OverTime({ state, answer, previous, onCell, closed }: ViewProps) {
  const columns = answer.columns.slice(1);
  const name = (column: Column): string => nameOf(state, column);
  const timed = state.granularity === 'hour';
  const series = columns.map((column): Series => {
    return { label: name(column), values: answer.rows.map((row) => valueIn(row, column.key, answer)) };
  });
  for (const column of previous?.columns.slice(1) ?? []) {
    const of = columns.findIndex((line) => name(line) === name(column));
    const values = answer.rows.map((_, index) => previous!.rows[index]?.[column.key]);
    if (of >= 0) series.push({ label: `${name(column)}, ${words.previous}`, values, of });
  }
  const titleOf = (column: Column, row: Row): string => `${name(column)}, ${date(String(row['date']), timed)}`;
  return (
    <>
      <LegendChart
        times={answer.rows.map((row) => String(row['date']))}
        series={series}
        shape={state.chart === 'area' ? 'area' : ['bar', 'column'].includes(state.chart) ? 'bar' : 'line'}
        label={columns.map(name).join(', ')}
        onPoint={(line, index) => {
          const [column, row] = [columns[line]!, answer.rows[index]!];
          onCell(lineCell(column, row['date']), titleOf(column, row));
        }}
      />
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
                      title={titleOf(column, row)}
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

/** A total, and that of the period before. */
function TotalButton({ total, previous, onCell }: Omit<TotalsProps, 'totals'> & { readonly total: Total }) {
  return (
    <>
      <NumberButton value={total.value} cell={total.cell} title={total.label} onCell={onCell} />
      {previous !== undefined && <Before value={previous.find(({ label }) => label === total.label)?.value} />}
    </>
  );
}

function Numbers({ totals, ...rest }: TotalsProps) {
  return (
    <ul class="numbers">
      {totals.map((total) => (
        <li key={total.label}>
          <span>{total.label}</span>
          <strong>
            <TotalButton total={total} {...rest} />
          </strong>
        </li>
      ))}
    </ul>
  );
}

/** Whether the lines are parts of a whole: each event is counted once, or summed up in one of them. */
function haveWhole(metrics: readonly Metric[], sizes: readonly number[]): boolean {
  const [{ agr, field }] = metrics as [Metric];
  const events = new Set(metrics.map(({ event }) => event));
  return (
    ['total', 'property_sum'].includes(agr) &&
    metrics.every((metric) => metric.agr === agr && metric.field === field) &&
    (metrics.length === 1 || (events.size === metrics.length && !events.has(null))) &&
    sizes.every((size) => size >= 0)
  );
}

/** Shares of a whole as a bar list: angles of a pie are read worse than lengths. Without a whole, bars show the sizes alone. */
function Shares({ metrics, totals, previous, onCell }: TotalsProps & Pick<ReportState, 'metrics'>) {
  const sizes = totals.map(({ value }) => Number(value ?? 0));
  const hasWhole = haveWhole(metrics, sizes);
  const all = hasWhole ? sizes.reduce((sum, size) => sum + size, 0) : Math.max(...sizes);
  return (
    <>
      {!hasWhole && <p class="quiet-text">{words.noShares}</p>}
      <DataTable
        bars
        caption={words.charts.pie}
        columns={[
          {
            key: 'label',
            label: words.event,
            type: 'string',
            head: true,
            show: (label, { part }, index) => (
              <>
                <Bar part={Number(part)} index={index} /> {label}
              </>
            ),
          },
          {
            key: 'value',
            label: words.total,
            type: 'number',
            show: (_, __, index) => <TotalButton total={totals[index]!} previous={previous} onCell={onCell} />,
          },
          ...(hasWhole
            ? [
                {
                  key: 'part',
                  label: words.share,
                  type: 'number',
                  show: (part: Value | undefined) => share(Number(part)),
                },
              ]
            : []),
        ]}
        rows={totals.map(({ label, value }, index) => ({ label, value, part: all > 0 ? sizes[index]! / all : 0 }))}
      />
    </>
  );
}

/** A table, or the table of campaigns. */
function Rows({ answer, previous, onCell }: PartProps & Pick<ViewProps, 'previous'>) {
  const broken = breakdownOf(answer);
  const lineOf = (row: Row): string => JSON.stringify([row['metric'], row['other'], broken.map(({ key }) => row[key])]);
  const before = new Map(previous?.rows.map((row) => [lineOf(row), row]));
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
          return (
            <>
              <NumberButton value={value} cell={tableCell(answer, row, key)} title={title} onCell={onCell} />
              {previous !== undefined && <Before value={before.get(lineOf(row))?.[key]} />}
            </>
          );
        },
      };
    });
  return <DataTable caption={words.table} columns={columns} rows={answer.rows} />;
}

function ListView({ answer, onCell }: PartProps) {
  return (
    <>
      <p>
        <button class="btn" type="button" onClick={() => onCell({}, words.types.list)}>
          {cellWords.rows}
        </button>
      </p>
      <DataTable caption={words.table} columns={answer.columns} rows={answer.rows} />
    </>
  );
}

/** How far the data of which days have been counted, and what the service warns of. */
export function Footnotes({ answer: { meta } }: { readonly answer: Answer }) {
  const days = [...new Set([meta.date_from, meta.date_to].map((at) => date(at, false)))].join(' – ');
  return (
    <footer class="quiet-text">
      <p>
        {days}. <AsOf at={meta.data_as_of} lagMs={meta.lag_ms} />
      </p>
      {meta.truncated && <p>{words.truncated}</p>}
      {meta.warnings.map(({ path, message }) => (
        <p class="warning" key={path + message}>
          {message}
        </p>
      ))}
    </footer>
  );
}

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Value } from '../api.ts';
import { cell, date, duration, share } from '../format.ts';
import { type DataColumn, DataTable } from '../parts/data-table.tsx';
import { type Series, TimeChart } from '../parts/time-chart.tsx';
import { texts } from '../texts.ts';
import type { Answer, Column, Row } from './answer.ts';
import type { ReportState } from './state.ts';

const words = texts.reports;

interface ViewProps {
  readonly state: ReportState;
  readonly answer: Answer;
  /** Of the period before; absent: no comparison. */
  readonly previous?: Answer | undefined;
}

/** The answer of a report as a chart, with the numbers in a table under it. */
export function View({ state, answer, previous }: ViewProps) {
  if (answer.rows.length === 0) return <p>{words.empty}</p>;
  if (state.type === 'funnels') return <FunnelView answer={answer} />;
  if (state.type === 'retention') return <RetentionView state={state} answer={answer} />;
  if (state.chart === 'number') return <Numbers totals={totalsOf(answer)} previous={previous && totalsOf(previous)} />;
  if (state.chart === 'pie') return <Shares totals={totalsOf(answer)} />;
  if (answer.columns[0]?.type === 'date' && state.type !== 'list')
    return <OverTime state={state} answer={answer} previous={previous} />;
  return <Rows answer={answer} />;
}

/** The name of a line: the metric, and the values that it is broken down by. */
function nameOf({ label, breakdown, other }: Column): string {
  if (other === true) return `${label}: ${words.other}`;
  if (breakdown === undefined) return label;
  const values = Object.values(breakdown).filter((value) => value !== null);
  return `${label}: ${values.length === 0 ? words.nothing : values.join(' / ')}`;
}

const drawn = (value: Value | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

function OverTime({ state, answer, previous }: ViewProps) {
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
          }))}
          rows={answer.rows}
        />
      </details>
    </>
  );
}

interface Total {
  readonly label: string;
  readonly value: Value;
}

/** Returns the total of each line over the whole period, as the service counted it. */
function totalsOf(answer: Answer): Total[] {
  return answer.columns.slice(1).map((column) => ({ label: nameOf(column), value: column.total ?? null }));
}

interface TotalsProps {
  readonly totals: readonly Total[];
  /** Of the period before; absent: no comparison. */
  readonly previous?: readonly Total[] | undefined;
}

function Numbers({ totals, previous }: TotalsProps) {
  return (
    <ul class="numbers">
      {totals.map(({ label, value }) => {
        const before = previous?.find((total) => total.label === label);
        return (
          <li key={label}>
            <span>{label}</span>
            <strong>{cell(value, 'number')}</strong>
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
function Shares({ totals }: TotalsProps) {
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
        {totals.map(({ label, value }, index) => {
          const part = all === 0 ? 0 : sizes[index]! / all;
          return (
            <tr key={label}>
              <th scope="row">
                <Bar part={part} index={index} /> {label}
              </th>
              <td class="number">{cell(value, 'number')}</td>
              <td class="number">{share(part)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Bar({ part, index = 0 }: { readonly part: number; readonly index?: number }) {
  return <i class={`bar series-${index % 10}`} style={{ width: `${Math.max(0, Math.min(1, part)) * 100}%` }} />;
}

function Rows({ answer }: { readonly answer: Answer }) {
  const columns = answer.columns.filter(({ key }) => !['metric', 'other'].includes(key));
  const rows = answer.rows.map((row) => (row['other'] === true ? withOther(columns, row) : row));
  return <DataTable caption={words.table} columns={columns} rows={rows} />;
}

/** The row of all other values says so in its first text. */
function withOther(columns: readonly Column[], row: Row): Row {
  const first = columns.find(({ type, key }) => type === 'string' && key !== 'label');
  return first === undefined ? row : { ...row, [first.key]: words.other };
}

function FunnelView({ answer }: { readonly answer: Answer }) {
  const extra = answer.columns.filter(({ key }) => !FUNNEL_KEYS.has(key));
  const of = (row: Row, key: string): number => Number(row[key] ?? 0);
  return (
    <section class="scroll">
      <table class="bars funnel">
        <thead>
          <tr>
            {extra.map(({ key, label }) => (
              <th key={key} scope="col">
                {label}
              </th>
            ))}
            <th scope="col">{words.step}</th>
            <th scope="col" class="number">
              {words.users}
            </th>
            <th scope="col" class="number">
              {words.ofFirst}
            </th>
            <th scope="col" class="number">
              {words.ofPrevious}
            </th>
            <th scope="col" class="number">
              {words.dropped}
            </th>
            <th scope="col" class="number">
              {words.inProgress}
            </th>
            <th scope="col" class="number">
              {words.median}
            </th>
          </tr>
        </thead>
        <tbody>
          {answer.rows.map((row, index) => (
            <tr key={index}>
              {extra.map(({ key, type }) => (
                <td key={key}>{row[key] === null ? words.nothing : cell(row[key], type)}</td>
              ))}
              <th scope="row">
                <Bar part={of(row, 'share_of_first')} /> {of(row, 'step')}. {String(row['label'])}
              </th>
              <td class="number">{cell(row['users'], 'number')}</td>
              <td class="number">{share(of(row, 'share_of_first'))}</td>
              <td class="number">{share(of(row, 'share_of_previous'))}</td>
              <td class="number">{cell(row['dropped'], 'number')}</td>
              <td class="number">{cell(row['in_progress'], 'number')}</td>
              <td class="number">{row['median_seconds'] === null ? '–' : duration(of(row, 'median_seconds'))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const FUNNEL_KEYS = new Set([
  'step',
  'label',
  'users',
  'share_of_first',
  'share_of_previous',
  'median_seconds',
  'dropped',
  'in_progress',
]);

function RetentionView({ state, answer }: Pick<ViewProps, 'state' | 'answer'>) {
  const intervals = answer.columns.flatMap(({ key }) => (key.startsWith('share_') ? [Number(key.slice(6))] : []));
  const extra = answer.columns.filter(({ key }) => !/^(cohort|size|users_\d+|share_\d+)$/.test(key));
  const columns: DataColumn[] = [
    ...extra,
    { key: 'cohort', label: words.cohort, type: 'date' },
    { key: 'size', label: words.size, type: 'number' },
    ...intervals.map(
      (n): DataColumn => ({
        key: `share_${n}`,
        label: `${words.granularities[state.granularity]} ${n}`,
        type: 'number',
        show: (value, row) => <HeatCell part={value} users={row[`users_${n}`]} />,
      }),
    ),
  ];
  const lines = useMemo(
    (): Series[] =>
      intervals.map((n) => ({
        label: `${words.granularities[state.granularity]} ${n}`,
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
function HeatCell({ part, users }: { readonly part: Value | undefined; readonly users: Value | undefined }) {
  if (part === null || part === undefined) return <span class="hidden">{words.unfinished}</span>;
  const level = Math.round(Number(part) * 10);
  return (
    <span
      class={`heat heat-${level}`}
      title={users === undefined ? undefined : `${cell(users, 'number')} ${words.users}`}
    >
      {share(Number(part))}
    </span>
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
